#pragma once
// A pipeline: the layers of a network in stages, which work on different shards of a batch at the
// same time. A micro-batch of the literature is a shard here.
//
// A stage works in an order that is fixed beforehand. In the order 1F1B (Harlap et al.,
// "PipeDream", 2018; Narayanan et al. 2021) it goes backward with a shard as soon as it can, so at
// most as many shards are under way as there are stages. In GPipe's (Huang et al. 2019) all of them
// are. Both take (shards + stages - 1) / shards times as long as the slowest stage alone.
//
// Who runs what never shows in a result: each shard meets the same kernels in the same order.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "nn/model/spec.h"
#include "nn/training/parallel.h"

namespace nn {

/// One pass of a shard through a stage.
struct StageWork {
  bool forward = true;
  int shard = 0;
  bool operator==(const StageWork&) const = default;
};

enum class StageOrder : std::uint8_t { one_forward_one_backward, all_forward_first };

/// Returns the work that a stage does as number `number` of 2 * shards: each shard goes forward
/// once and backward once.
[[nodiscard]] StageWork work_of_stage(int number, int stage, int stages, int shards,
                                      StageOrder order);

/// Returns the most shards that are under way at the same time.
[[nodiscard]] int shards_under_way(int stages, int shards, StageOrder order);

/// Layers [first, last).
struct StageLayers {
  std::size_t first = 0, last = 0;
  std::uint64_t flops = 0;  ///< of training a row
  bool operator==(const StageLayers&) const = default;
};

/// Cuts a network into at most `stages` stages so that the one with the most counted FLOPs has the
/// fewest. Each stage has layers that count; a network with fewer of these has fewer stages.
[[nodiscard]] std::vector<StageLayers> stages_of(const ModelSpec& spec, int stages);

/// Seconds that a shard takes in a stage, and to the next stage or the one before.
struct StageSeconds {
  double forward = 0, backward = 0, to_next = 0, to_previous = 0;
};

/// Returns the seconds of a step in virtual time, each stage on a worker of its own.
[[nodiscard]] double pipeline_seconds(std::span<const StageSeconds> stages, int shards,
                                      StageOrder order);

/// Runs waves of shards through stages. Nothing allocates in run().
class Pipeline {
 public:
  /// Runs a stage's work.
  using Run = std::function<void(int stage, const StageWork& work)>;

  Pipeline(int stages, StageOrder order, Run run);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Runs all work, each stage on a thread of its own as far as `parallel` has some to lend; null:
  /// all here. Rethrows the first error.
  void run(int shards, Parallel* parallel);

 private:
  struct Stage {
    int next = 0;                   ///< number of its next work
    int forward = 0, backward = 0;  ///< shards that have left it
    bool busy = false;
  };
  static constexpr int kNothing = -1, kDone = -2;

  /// Runs what can be run, preferably of stage `own`, until nothing is left.
  void serve(int own);
  /// Returns a stage whose next work can begin, kNothing, or kDone.
  [[nodiscard]] int take(int own);
  [[nodiscard]] bool is_ready(std::size_t stage) const;
  [[nodiscard]] StageWork next_of(std::size_t stage) const;
  void leave(int stage, const StageWork& work, std::exception_ptr error);

  std::mutex mutex_;
  std::vector<Stage> stages_;  ///< what follows, too, is held by the mutex while serve() runs
  int left_ = 0;               ///< works that have not ended
  std::exception_ptr failed_;
  std::atomic<unsigned> changes_ = 0;
  int shards_ = 0;
  StageOrder order_;
  Run run_;
};

}  // namespace nn
