#pragma once
// Training a stretch of steps and evaluating: the two things that tasks do with a network.
//
// Both run on the calling thread (and those that a Parallel lends), and their results depend on the
// arguments alone: not on the worker, on what the workspace was used for before, or on how a
// training was cut into stretches. train {0, 3} equals train {0, 1} and then {1, 3}, bit for bit.
// Neither allocates per step. The calling thread has gone through kern::prepare_thread(), and
// training throws base::Error where it has not. With the kernels of a device the network's bytes
// lie in its memory, the table too (DataView::resident) or in the program's, from where it is fed
// (nn/data/feed.h), and `parallel` is null.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data_view.h"
#include "nn/hyper.h"
#include "nn/metrics/judged.h"
#include "nn/parallel.h"
#include "nn/slab.h"
#include "nn/workspace.h"

namespace nn {

/// Training from one border of an absolute grid to another. Border i lies i / per_epoch epochs
/// after the network's birth, after floor(steps an epoch * i / per_epoch) steps; epoch e visits the
/// rows in the order permutation(hyper.shuffle, e), wherever the stretch begins. Encodable.
struct Stretch {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t per_epoch = 1;  ///< borders an epoch, at least 1
  auto operator<=>(const Stretch&) const = default;
};

/// The same stretch on the coarsest grid that has both of its borders: equal work, equal value.
[[nodiscard]] Stretch reduced(const Stretch& stretch);

/// Epochs that a stretch stands for: (to - from) / per_epoch.
[[nodiscard]] double epochs_in(const Stretch& stretch);

/// What `hyper` says about this stretch and nothing else: of its learning rates those that hold on
/// it, as the optimizer's own where they are one. Trials whose schedules agree on a stretch train
/// it with equal hyperparameters, so it has one key and runs once.
[[nodiscard]] Hyper hyper_on(Hyper hyper, const Stretch& stretch);

/// Optimizer steps of an epoch of `rows` rows.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t rows, std::int32_t batch) {
  return (rows + batch - 1) / batch;
}

/// Rows that a stretch visits when an epoch has `rows` rows and a step takes `batch` of them.
[[nodiscard]] std::int64_t rows_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch);

/// Optimizer steps of a stretch, from the same.
[[nodiscard]] std::int64_t steps_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch);

/// What a stretch of training leaves behind besides the slab. Encodable.
struct TrainStats {
  double loss = 0;  ///< mean over the rows seen, each under the weights of its step; 0: none
  std::int64_t correct = 0;  ///< rows classified rightly as they were seen (labels only)
  std::int64_t rows = 0;
  std::int64_t steps = 0;
  bool diverged =
      false;  ///< a step's loss was NaN or infinite: training ended before that step's update
  bool stopped = false;  ///< the stop predicate said so: the slab is half-way and this is no result
  auto operator<=>(const TrainStats&) const = default;
};

/// Polled between steps; true ends the stretch early.
using StopPredicate = std::function<bool()>;

/// Trains `net` in place. `hyper` is complete, and its optimizer is the one that the slab was made
/// for. The batch of a step is split into shards_of(hyper, spec, memory) contiguous parts, part i
/// holding rows [n*i/shards, n*(i+1)/shards); their gradients are summed in a binary tree over
/// neighbours, wherever `parallel` runs them (null: here, one after another). `kernels` have the
/// precision of `hyper`. Throws base::Error (study) when spec, data, kernels and hyper do not fit
/// together, before any change.
[[nodiscard]] TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace,
                                     ParamSlab& net, const DataView& data, const Hyper& hyper,
                                     const Stretch& stretch, const StopPredicate& stop = {},
                                     Parallel* parallel = nullptr);

/// Parts that a step's gradient is computed in: hyper.shards, or where that is 0 as many as the
/// network's counted work makes worth while: each at least 50 MFLOP, with every weight used at
/// least 100 times (so that summing gradients stays small beside computing them); a power of two,
/// at most 8. On a device, whose kernels are parallel themselves, 1.
[[nodiscard]] int shards_of(const Hyper& hyper, const ModelSpec& spec,
                            const kern::Memory& memory = kern::kOwnMemory);

/// How good a network is on some rows. Encodable.
struct Scores {
  double loss = 0;  ///< mean over rows of the training loss
  std::int64_t rows = 0;
  std::int64_t correct = 0;  ///< labels only
  double accuracy = 0;       ///< correct / rows, labels only
  /// The metrics that fit the targets (measured_names() of nn/metrics/metric.h) by name; none where
  /// they were not asked for.
  std::vector<std::pair<std::string, double>> metrics{};
  auto operator<=>(const Scores&) const = default;
};

/// What an evaluation measures: all, or just the loss and what comes with it.
enum class Measured : std::uint8_t { loss, all };

/// Evaluates in chunks of evaluate_rows() rows, in the order of data.rows. No rows: all zero.
/// Throws base::Error as above.
[[nodiscard]] Scores evaluate(const kern::Kernels<float>& kernels, Workspace& workspace,
                              const ParamSlab& net, const DataView& data, const Choice& loss,
                              Parallel* parallel = nullptr, Measured measured = Measured::all);

/// How good a network is at telling classes apart. Encodable.
struct ClassScores {
  Scores scores;
  Confusion confusion;
  auto operator<=>(const ClassScores&) const = default;
};

/// The same of data with labels, and what was taken for what by the same answers.
[[nodiscard]] ClassScores evaluate_classes(const kern::Kernels<float>& kernels,
                                           Workspace& workspace, const ParamSlab& net,
                                           const DataView& data, const Choice& loss,
                                           Parallel* parallel = nullptr);

/// The most rows of a chunk; on a device, whose kernels want more of them, so many.
inline constexpr int kEvaluateRows = 128;
inline constexpr int kEvaluateRowsOnDevice = 512;
/// Rows of a chunk: a power of two, the most of them up to those for which nothing that enters or
/// leaves a layer takes more than 64 MiB; at least 1.
[[nodiscard]] int evaluate_rows(const kern::Memory& memory, const ModelSpec& spec);

/// The same for rows that come in several views, all but the last with a multiple of the most rows
/// of a chunk: scores() is what evaluate() would have said of all of them, bit for bit.
class Evaluation {
 public:
  /// Everything referred to outlives this.
  Evaluation(const kern::Kernels<float>& kernels, const ParamSlab& net, const Choice& loss);

  /// Answers the view's rows; their outputs are the last of judged().outputs, one a class (one
  /// logit stands for two, of which the first is 0). A view without labels and targets is answered
  /// and not scored.
  void add(Workspace& workspace, const DataView& data, Parallel* parallel = nullptr);
  /// Forgets the rows answered so far, which then count in no metric.
  void drop_rows();

  [[nodiscard]] const Judged& judged() const { return judged_; }
  [[nodiscard]] Scores scores(Measured measured = Measured::all) const;

 private:
  const kern::Kernels<float>& kernels_;
  const ParamSlab& net_;
  const Choice& loss_;
  Judged judged_;
  kern::LossSums sums_;
};

/// Writes the network's raw outputs (logits or numbers), [data.rows.size(), outputs], to `out`.
void predict(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
             const DataView& data, std::span<float> out);

}  // namespace nn
