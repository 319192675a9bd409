#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nn/data/block.h"
#include "nn/error.h"
#include "nn/train.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// Sums of errors of numbers, one set an output, in the scale of the stored targets.
class ErrorSums {
 public:
  ErrorSums(const DataView& data) : sums_(static_cast<std::size_t>(data.outputs)) {
    for (const auto row : data.rows) {
      for (std::size_t j = 0; j < sums_.size(); ++j) {
        sums_[j].mean += static_cast<double>(data.targets[row * sums_.size() + j]);
      }
    }
    for (auto& s : sums_) s.mean /= static_cast<double>(data.rows.size());
  }

  void add(std::size_t rows, const float* out, const float* target) {
    for (std::size_t i = 0; i < rows * sums_.size(); ++i) {
      Sums& s = sums_[i % sums_.size()];
      const double wanted = static_cast<double>(target[i]);
      const double error = static_cast<double>(out[i]) - wanted;
      s.squared += error * error;
      s.absolute += std::abs(error);
      s.variance += (wanted - s.mean) * (wanted - s.mean);
    }
  }

  void report(std::size_t rows, double unit, Scores& scores) const {
    const double outputs = static_cast<double>(sums_.size());
    const double cells = static_cast<double>(rows) * outputs;
    for (const Sums& s : sums_) {
      scores.mse += s.squared * unit * unit / cells;
      scores.mae += s.absolute * unit / cells;
      scores.r2 += s.variance > 0 ? (1 - s.squared / s.variance) / outputs : 0;
    }
  }

 private:
  struct Sums {
    double mean = 0, squared = 0, absolute = 0, variance = 0;
  };
  std::vector<Sums> sums_;
};

/// Runs the network over data.rows in chunks; `each` gets (first row, rows, outputs, target, exec).
template <class Each>
void for_each_chunk(const Network<float>& network, Workspace& workspace, const ParamSlab& net,
                    const DataView& data, Each each) {
  const BatchReader<float> reader(network, data);
  const std::size_t network_bytes = Block::aligned(network.arena_bytes());
  std::byte* arena = workspace.arena(network_bytes + reader.target_bytes());
  for (std::size_t begin = 0; begin < data.rows.size(); begin += kEvaluateRows) {
    const std::size_t rows = std::min<std::size_t>(kEvaluateRows, data.rows.size() - begin);
    const Target target = reader.read(arena, arena + network_bytes, data.rows.subspan(begin, rows));
    const float* out = network.forward(arena, net.weights().data(), static_cast<int>(rows));
    kern::Exec exec = network.exec(arena);
    each(begin, rows, out, target, exec);
  }
}

/// The same for the losses of labels alone, chunks side by side.
kern::LossSums sum_chunks(const Network<float>& network, const ParamSlab& net, const DataView& data,
                          const Loss& loss, Parallel& parallel) {
  const BatchReader<float> reader(network, data);
  const std::size_t network_bytes = Block::aligned(network.arena_bytes());
  const std::size_t chunks = (data.rows.size() + kEvaluateRows - 1) / kEvaluateRows;
  std::vector<kern::LossSums> sums(chunks);
  run_parts(parallel, static_cast<int>(chunks), [&](int chunk, Workspace& workspace) {
    std::byte* arena = workspace.arena(network_bytes + reader.target_bytes());
    const std::size_t begin = static_cast<std::size_t>(chunk) * kEvaluateRows;
    const std::size_t rows = std::min<std::size_t>(kEvaluateRows, data.rows.size() - begin);
    const Target target = reader.read(arena, arena + network_bytes, data.rows.subspan(begin, rows));
    const float* out = network.forward(arena, net.weights().data(), static_cast<int>(rows));
    kern::Exec exec = network.exec(arena);
    sums[static_cast<std::size_t>(chunk)] =
        loss.run(network.kernels(), exec, static_cast<int>(rows), network.outputs(), out, target,
                 0.0F, nullptr);
  });
  kern::LossSums total;
  for (const kern::LossSums& some : sums) {
    total.loss += some.loss;
    total.correct += some.correct;
  }
  return total;
}

}  // namespace

Scores evaluate(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
                const DataView& data, const Choice& loss_choice, Parallel* parallel) {
  const Network<float>& network =
      workspace.network(net.spec(), kernels, kEvaluateRows, Use::inference);
  const Loss& loss = loss_of(loss_choice.kind);
  check_fit(network, data, loss);
  Scores scores;
  if (data.rows.empty()) return scores;

  const bool numbers = loss.target() == TargetKind::numbers;
  ErrorSums errors(numbers ? data : DataView{});
  if (parallel != nullptr && !numbers) {
    const kern::LossSums sums = sum_chunks(network, net, data, loss, *parallel);
    scores.loss = sums.loss;
    scores.correct = sums.correct;
  } else {
    for_each_chunk(network, workspace, net, data,
                   [&](std::size_t, std::size_t rows, const float* out, const Target& target,
                       kern::Exec& exec) {
                     const kern::LossSums sums =
                         loss.run(kernels, exec, static_cast<int>(rows), network.outputs(), out,
                                  target, 0.0F, nullptr);
                     scores.loss += sums.loss;
                     scores.correct += sums.correct;
                     if (numbers) errors.add(rows, out, target.numbers);
                   });
  }
  scores.rows = static_cast<std::int64_t>(data.rows.size());
  scores.loss /= static_cast<double>(scores.rows);
  if (numbers) {
    errors.report(data.rows.size(), data.target_unit, scores);
  } else {
    scores.accuracy = static_cast<double>(scores.correct) / static_cast<double>(scores.rows);
  }
  return scores;
}

void predict(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
             const DataView& data, std::span<float> out) {
  const Network<float>& network =
      workspace.network(net.spec(), kernels, kEvaluateRows, Use::inference);
  check_input(net.spec(), data);
  const auto width = static_cast<std::size_t>(network.outputs());
  if (out.size() != data.rows.size() * width) {
    throw Error("predict: expected room for " + std::to_string(data.rows.size() * width) +
                " numbers, not " + std::to_string(out.size()));
  }
  for_each_chunk(network, workspace, net, data,
                 [&](std::size_t begin, std::size_t rows, const float* y, const Target&,
                     kern::Exec&) { std::copy_n(y, rows * width, out.data() + begin * width); });
}

}  // namespace nn
