#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "nn/data/block.h"
#include "nn/evaluation/answering.h"
#include "nn/metrics/metric.h"
#include "nn/network/brought_here.h"

namespace nn {
namespace {

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

/// Where the answers of all rows go, and what is made of them.
struct Answers {
  float* out;                       ///< [all rows, width]
  std::size_t width;                ///< of an answer
  const LossFunction<float>* loss;  ///< null: nothing is scored
};

/// Answers one chunk and returns its loss.
kern::LossSums answer_chunk(const Answering& a, int chunk, Workspace& workspace,
                            const Answers& to) {
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
  write_answers(brought_here(*a.kernels.memory, y, rows * outputs, copy), rows, outputs, to.width,
                to.out + a.first_row(chunk) * to.width);
  if (to.loss == nullptr) return {};
  kern::Exec exec = network.exec(arena);
  return to.loss->run(
      {a.kernels, exec, static_cast<int>(rows), network.outputs(), y, target, 0.0F, nullptr});
}

/// Answers all chunks, side by side where somebody lends workers; adds their losses in order.
void answer(Answering a, Workspace& workspace, Parallel* parallel, const Answers& to,
            kern::LossSums& sums) {
  const std::unique_ptr<TableFeed> feed = feed_for(a, workspace);
  a.feed = feed.get();
  std::vector<kern::LossSums> parts(static_cast<std::size_t>(a.chunks()));
  auto body = [&](int chunk, Workspace& own) {
    parts[static_cast<std::size_t>(chunk)] = answer_chunk(a, chunk, own, to);
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
  answer({kernels_, net_, data}, workspace, parallel,
         {judged_.outputs.data() + before, judged_.width, loss.get()}, sums_);
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
  scores.metrics = measure_all(target, judged_);
  return scores;
}

Scores evaluate(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
                const DataView& data, const Choice& loss, Parallel* parallel, Measured measured) {
  Evaluation evaluation(kernels, net, loss);
  evaluation.add(workspace, data, parallel);
  return evaluation.scores(measured);
}

ClassScores evaluate_classes(const kern::Kernels<float>& kernels, Workspace& workspace,
                             const ParamSlab& net, const DataView& data, const Choice& loss,
                             Parallel* parallel) {
  Evaluation evaluation(kernels, net, loss);
  evaluation.add(workspace, data, parallel);
  const Judged& judged = evaluation.judged();
  return {evaluation.scores(), count_confusion(judged.outputs, judged.labels, judged.width)};
}

void predict(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
             const DataView& data, std::span<float> out) {
  check_input(net.spec(), data);
  const auto width = static_cast<std::size_t>(output_shape(net.spec()).elements());
  if (out.size() != data.rows.size() * width) {
    throw base::Error(base::Errc::internal, "predict: expected room for " +
                                                std::to_string(data.rows.size() * width) +
                                                " numbers, not " + std::to_string(out.size()));
  }
  kern::LossSums none;
  answer({kernels, net, data}, workspace, nullptr, {out.data(), width, nullptr}, none);
}

}  // namespace nn
