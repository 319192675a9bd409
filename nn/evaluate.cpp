#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "nn/data/block.h"
#include "nn/data/feed.h"
#include "nn/error.h"
#include "nn/metrics/metric.h"
#include "nn/train.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// A network and the rows that it is to answer, in chunks.
struct Answering {
  const kern::Kernels<float>& kernels;
  const ParamSlab& net;
  const DataView& data;
  const LossFunction<float>* loss;  ///< null: nothing is scored
  std::size_t width;                ///< of an answer
  int chunk_rows = evaluate_rows(*kernels.memory, net.spec());
  TableFeed* feed = nullptr;  ///< where rows come from; null: from `data`

  [[nodiscard]] std::size_t some() const { return static_cast<std::size_t>(chunk_rows); }
  [[nodiscard]] std::size_t first_row(int chunk) const {
    return static_cast<std::size_t>(chunk) * some();
  }
  [[nodiscard]] const Network<float>& network(Workspace& workspace) const {
    return workspace.network(net.spec(), kernels, chunk_rows, Use::inference);
  }
  [[nodiscard]] std::span<const std::uint32_t> rows_of(int chunk) const {
    const std::size_t begin = first_row(chunk);
    return data.rows.subspan(begin, std::min(some(), data.rows.size() - begin));
  }
  [[nodiscard]] int chunks() const {
    return static_cast<int>((data.rows.size() + some() - 1) / some());
  }
};

/// Writes outputs as answers: one logit stands for two, of which the first is 0.
void write_answers(const float* y, std::size_t rows, std::size_t outputs, std::size_t width,
                   float* out) {
  if (width == outputs) {
    std::copy_n(y, rows * width, out);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    out[2 * row] = 0;
    out[2 * row + 1] = y[row];
  }
}

/// Numbers of `memory` where the program can read them: in `copy`, unless they are there already.
const float* brought_here(const kern::Memory& memory, const float* numbers, std::size_t count,
                          std::vector<float>& copy) {
  if (memory.own) return numbers;
  copy.resize(count);
  memory.get(copy.data(), numbers, count * sizeof(float));
  return copy.data();
}

/// The rows of a chunk where the network reads them.
Target read_chunk(const Answering& a, const BatchReader<float>& reader, int chunk, std::byte* arena,
                  std::byte* targets) {
  const std::span<const std::uint32_t> rows = a.rows_of(chunk);
  if (a.feed == nullptr) return reader.read(arena, targets, rows);
  std::array<std::uint32_t, kEvaluateRowsOnDevice> places;
  std::iota(places.begin(), places.end(), 0U);
  const Target target =
      reader.read(arena, targets, a.feed->take(), std::span(places).first(rows.size()));
  a.feed->give_back();
  return target;
}

/// Answers one chunk into `out` ([all rows, width]) and returns its loss.
kern::LossSums answer_chunk(const Answering& a, int chunk, Workspace& workspace, float* out) {
  const Network<float>& network = a.network(workspace);
  const BatchReader<float> reader(network, a.data);
  const std::size_t network_bytes = Block::aligned(network.arena_bytes());
  std::byte* arena = workspace.arena(network_bytes + reader.target_bytes(), *a.kernels.memory);
  const std::size_t rows = a.rows_of(chunk).size();
  const Target target = read_chunk(a, reader, chunk, arena, arena + network_bytes);
  const float* y = network.forward(arena, a.net.weights().data(), static_cast<int>(rows));
  if (a.feed != nullptr && chunk + 1 < a.chunks()) a.feed->ask(a.rows_of(chunk + 1));
  const auto outputs = static_cast<std::size_t>(network.outputs());
  std::vector<float> copy;
  write_answers(brought_here(*a.kernels.memory, y, rows * outputs, copy), rows, outputs, a.width,
                out + a.first_row(chunk) * a.width);
  if (a.loss == nullptr) return {};
  kern::Exec exec = network.exec(arena);
  return a.loss->run(
      {a.kernels, exec, static_cast<int>(rows), network.outputs(), y, target, 0.0F, nullptr});
}

/// A feed in the workspace's memory, behind what chunks are answered in.
std::unique_ptr<TableFeed> feed_for(const Answering& a, Workspace& workspace) {
  const kern::Memory& memory = *a.kernels.memory;
  if (!is_fed(memory, a.data) || a.chunks() == 0) return nullptr;
  const Network<float>& network = a.network(workspace);
  const std::size_t own = Block::aligned(network.arena_bytes()) +
                          Block::aligned(BatchReader<float>(network, a.data).target_bytes());
  const FeedShape shape = feed_shape(a.data);
  std::byte* const there =
      workspace.arena(own + TableFeed::bytes_there(shape, a.some()), memory) + own;
  auto feed = std::make_unique<TableFeed>(
      memory, a.data, a.some(), there,
      workspace.arena(TableFeed::bytes_staged(shape, a.some()), *kern::feed_of(memory).staging));
  feed->ask(a.rows_of(0));
  return feed;
}

/// Answers all chunks, side by side where somebody lends workers; adds their losses in order.
void answer(Answering a, Workspace& workspace, Parallel* parallel, float* out,
            kern::LossSums& sums) {
  const std::unique_ptr<TableFeed> feed = feed_for(a, workspace);
  a.feed = feed.get();
  std::vector<kern::LossSums> parts(static_cast<std::size_t>(a.chunks()));
  auto body = [&](int chunk, Workspace& own) {
    parts[static_cast<std::size_t>(chunk)] = answer_chunk(a, chunk, own, out);
  };
  if (parallel != nullptr) {
    run_parts(*parallel, a.chunks(), body);
  } else {
    for (int chunk = 0; chunk < a.chunks(); ++chunk) body(chunk, workspace);
  }
  for (const kern::LossSums& part : parts) {
    sums.loss += part.loss;
    sums.correct += part.correct;
  }
}

}  // namespace

int evaluate_rows(const kern::Memory& memory, const ModelSpec& spec) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  std::int64_t row = 1;  // numbers of the largest tensor that a row has
  for (const Shape& shape : infer_shapes(spec)) row = std::max(row, shape.elements());
  int rows = memory.own ? kEvaluateRows : kEvaluateRowsOnDevice;
  while (rows > 1 && row > kBytes / static_cast<std::int64_t>(sizeof(float)) / rows) rows /= 2;
  return rows;
}

Evaluation::Evaluation(const kern::Kernels<float>& kernels, const ParamSlab& net,
                       const Choice& loss)
    : kernels_(kernels), net_(net), loss_(loss) {
  const auto outputs = static_cast<std::size_t>(output_shape(net.spec()).elements());
  const bool one_logit = outputs == 1 && target_kind(loss.kind) == TargetKind::labels;
  judged_.width = one_logit ? 2 : outputs;
}

void Evaluation::add(Workspace& workspace, const DataView& data, Parallel* parallel) {
  const bool scored = data.labels != nullptr || data.targets != nullptr;
  std::unique_ptr<LossFunction<float>> loss;
  if (scored) {
    const int rows = evaluate_rows(*kernels_.memory, net_.spec());
    check_fit(workspace.network(net_.spec(), kernels_, rows, Use::inference), data,
              loss_of(loss_.kind));
    if (!data.rows.empty()) loss = loss_function<float>(loss_, data);
    append_truth(judged_, data);
  } else {
    check_input(net_.spec(), data);
  }
  const std::size_t before = judged_.outputs.size();
  judged_.outputs.resize(before + data.rows.size() * judged_.width);
  answer({kernels_, net_, data, loss.get(), judged_.width}, workspace, parallel,
         judged_.outputs.data() + before, sums_);
}

void Evaluation::drop_rows() {
  judged_.outputs.clear();
  judged_.labels.clear();
  judged_.targets.clear();
}

Scores Evaluation::scores(Measured measured) const {
  Scores scores;
  if (judged_.rows() == 0) return scores;
  scores.rows = static_cast<std::int64_t>(judged_.rows());
  scores.loss = sums_.loss / static_cast<double>(scores.rows);
  const TargetKind target = loss_of(loss_.kind).target();
  if (target == TargetKind::labels) {
    scores.correct = sums_.correct;
    scores.accuracy = static_cast<double>(scores.correct) / static_cast<double>(scores.rows);
  }
  if (measured == Measured::loss) return scores;
  for (std::string& name : measured_names(target, judged_.names)) {
    scores.metrics.emplace_back(std::move(name), 0);
  }
  auto next = scores.metrics.begin();
  const auto measure = [&](const Judged& judged) {
    for (const Metric* metric : metrics()) {
      if (metric->target == target) (next++)->second = metric->value(judged);
    }
  };
  measure(judged_);
  for (std::size_t i = 0; next != scores.metrics.end(); ++i) measure(output_of(judged_, i));
  return scores;
}

Scores evaluate(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
                const DataView& data, const Choice& loss, Parallel* parallel, Measured measured) {
  Evaluation evaluation(kernels, net, loss);
  evaluation.add(workspace, data, parallel);
  return evaluation.scores(measured);
}

void predict(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
             const DataView& data, std::span<float> out) {
  check_input(net.spec(), data);
  const auto width = static_cast<std::size_t>(output_shape(net.spec()).elements());
  if (out.size() != data.rows.size() * width) {
    throw Error("predict: expected room for " + std::to_string(data.rows.size() * width) +
                " numbers, not " + std::to_string(out.size()));
  }
  kern::LossSums none;
  answer({kernels, net, data, nullptr, width}, workspace, nullptr, out.data(), none);
}

}  // namespace nn
