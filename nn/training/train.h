#pragma once
// Training a segment of steps, and evaluating: the two things that tasks do with a network.
//
// Both run on the calling thread and on threads that a Parallel lends. Results depend on the
// arguments alone: not on the worker, the workspace's earlier use, or the cuts between segments.
// Training {0, 3} equals training {0, 1} and then {1, 3}, bit for bit. No step allocates memory.
// The calling thread has called kern::prepare_thread(); training throws base::Error otherwise.
// With the kernels of a device, the network's bytes lie in the device's memory and `parallel` is
// null. The table lies there too (DataView::resident), or in the program's memory, from where it
// is fed (nn/data/feed.h).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/metrics/judged.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/training/arrivals.h"
#include "nn/training/gang.h"
#include "nn/training/hyper.h"
#include "nn/training/parallel.h"
#include "nn/training/pipeline.h"
#include "nn/training/segment.h"

namespace nn {

/// The result of a segment of training besides the slab. Encodable.
struct TrainStats {
  /// Mean over the rows, each with the weights before its step; 0 without rows. Not meaningful if
  /// `diverged`.
  double loss = 0;
  std::int64_t correct = 0;  ///< rows classified correctly with those weights (labels only)
  std::int64_t rows = 0;
  std::int64_t steps = 0;
  /// True if a step's loss was NaN or infinite: training ended before the update of that step.
  bool diverged = false;
  bool stopped = false;  ///< true if the stop predicate ended it: then the segment is incomplete
  auto operator<=>(const TrainStats&) const = default;
};

/// Called before each step; true ends the segment early.
using StopPredicate = std::function<bool()>;

/// The stages in which a pipeline runs the shards of a batch (pipeline.h); one: none.
struct Stages {
  int count = 1;  ///< at most; a network with fewer layers that compute has fewer
  StageOrder order = StageOrder::one_forward_one_backward;
};

struct Tally;  // tally.h

/// How steps are run, apart from where: of a pipeline, of replicas, and in pieces.
struct Execution {
  Stages stages{};
  /// Replicas of a stale training part in the order in which they finish. Null: in virtual time.
  Arrivals* arrivals = nullptr;
  /// The steps of the segment that are done, of a training in the program's memory that is run in
  /// pieces: `stop` ends each but the last. A piece begins behind those steps and adds its own. The
  /// pieces have the bits of a training in one piece, whether a gang runs them or not. Null: one
  /// piece.
  Tally* done = nullptr;
};

/// Trains `net` in place. `hyper` is complete, its optimizer is the one that the slab was made for,
/// and `kernels` have its precision. Each batch is split into shards_of(hyper, spec, memory)
/// contiguous parts; part i holds rows [n*i/shards, n*(i+1)/shards). The gradients of the parts are
/// summed in a binary tree over neighbours. `parallel` runs the parts side by side; null runs them
/// here, one after another. A `gang` computes some of them elsewhere: all members call this with
/// equal arguments, and with a `stop` that says the same to all before the same step. With
/// `stages`, the parts go through a pipeline on the threads of `parallel`. With `arrivals`, so do
/// replicas; only such a result depends on anything else than the arguments. Throws base::Error
/// (study) if spec, data, kernels and hyper do not fit together, or not to a gang, before any
/// change.
[[nodiscard]] TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace,
                                     ParamSlab& net, const DataView& data, const Hyper& hyper,
                                     const Segment& segment, const StopPredicate& stop = {},
                                     Parallel* parallel = nullptr, GradientSums* gang = nullptr,
                                     const Execution& execution = {});

/// Returns the number of parts of a batch: hyper.shards, or if that is 0, a power of two from 1 to
/// 8 by the network's counted work. Each part then has at least 50 MFLOP and uses every weight at
/// least 100 times, so that summing gradients costs little beside computing them. On a device,
/// whose kernels are parallel themselves, 0 means 1.
[[nodiscard]] int shards_of(const Hyper& hyper, const ModelSpec& spec,
                            const kern::Memory& memory = kern::kOwnMemory);

/// The quality of a network on some rows. Encodable.
struct Scores {
  double loss = 0;  ///< mean over rows of the training loss
  std::int64_t rows = 0;
  std::int64_t correct = 0;  ///< labels only
  double accuracy = 0;       ///< correct / rows, labels only
  /// The metrics that fit the targets, by name (measured_names() of nn/metrics/metric.h); empty
  /// with Measured::loss.
  std::vector<std::pair<std::string, double>> metrics{};
  auto operator<=>(const Scores&) const = default;
};

/// The extent of an evaluation: all metrics, or the loss and the members that come with it.
enum class Measured : std::uint8_t { loss, all };

/// Evaluates in chunks of evaluate_rows() rows, in the order of data.rows. No rows: all zero.
/// Throws base::Error as above.
[[nodiscard]] Scores evaluate(const kern::Kernels<float>& kernels, Workspace& workspace,
                              const ParamSlab& net, const DataView& data, const Choice& loss,
                              Parallel* parallel = nullptr, Measured measured = Measured::all);

/// The quality of a network that tells classes apart. Encodable.
struct ClassScores {
  Scores scores;
  Confusion confusion;
  auto operator<=>(const ClassScores&) const = default;
};

/// Evaluates on data with labels, and counts how often each class was answered for each other one.
[[nodiscard]] ClassScores evaluate_classes(const kern::Kernels<float>& kernels,
                                           Workspace& workspace, const ParamSlab& net,
                                           const DataView& data, const Choice& loss,
                                           Parallel* parallel = nullptr);

/// The most rows of a chunk, in the program's memory and on a device, whose kernels need more rows.
inline constexpr int kEvaluateRows = 128;
inline constexpr int kEvaluateRowsOnDevice = 512;
/// Returns the rows of a chunk: the largest power of two up to that bound with which no input or
/// output of a layer takes more than 64 MiB; at least 1.
[[nodiscard]] int evaluate_rows(const kern::Memory& memory, const ModelSpec& spec);

/// An evaluation of rows that come in several views. All views but the last have a multiple of the
/// most rows of a chunk. scores() equals evaluate() on all rows at once, bit for bit.
class Evaluation {
 public:
  /// Everything referred to outlives this.
  Evaluation(const kern::Kernels<float>& kernels, const ParamSlab& net, const Choice& loss);

  /// Computes the outputs of the view's rows and appends them to judged().outputs, one a class (one
  /// logit stands for two, of which the first is 0). Does not score a view without labels and
  /// targets.
  void add(Workspace& workspace, const DataView& data, Parallel* parallel = nullptr);
  /// Drops the rows so far, which then count in no metric.
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
