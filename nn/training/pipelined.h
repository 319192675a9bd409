#pragma once
// Pipelined<T>: a trainer's shards that go through the stages of its network (pipeline.h).

#include <vector>

#include "nn/training/pipeline.h"
#include "nn/training/trainer.h"

namespace nn {

/// A part of a trainer, which outlives it. A shard's pass keeps its memory from its first stage to
/// its last one, so nothing is copied from stage to stage, and a network may be cut anywhere.
template <class T>
class Pipelined {
 public:
  Pipelined(Trainer<T>& trainer, std::vector<StageLayers> stages, StageOrder order);

  /// Computes shards [first, first + count) into the trainer's blocks.
  void run(int first, int count, const Step& step);

 private:
  void run_work(const StageLayers& stage, const StageWork& work);

  Trainer<T>& trainer_;
  std::vector<StageLayers> stages_;
  std::vector<ShardPass<T>> passes_;  ///< one for each shard that is under way
  Pipeline pipeline_;
  int first_ = 0;
  const Step* step_ = nullptr;
};

extern template class Pipelined<float>;
extern template class Pipelined<double>;

}  // namespace nn
