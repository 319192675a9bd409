#pragma once
// StageMember<T>: the steps of a member of a gang that has one stage of the network (pipeline.h).
//
// The stages are cut anew for each number of members, so a gang that has lost one goes on with
// fewer stages, down to one. All shards of a batch go through this member's stage in the order
// 1F1B. It keeps the layers' outputs of as many shards as there are stages from its own on. Then it
// adds up its layers' gradients over the shards, in the tree of a trainer that works alone, and all
// members share their sums: after that each has the whole gradient, with the bits of that trainer,
// and applies the whole update.
//
// No weight changes before this member has all sums. A step in which a member is lost before that
// is open, and run again.

#include <cstddef>
#include <vector>

#include "nn/training/gang.h"
#include "nn/training/pipeline.h"
#include "nn/training/trainer.h"

namespace nn {

/// A part of a trainer, which outlives it.
template <class T>
class StageMember {
 public:
  StageMember(Trainer<T>& trainer, StageLinks& links);

  /// Trainer::step() of such a gang.
  kern::LossSums step(const Step& step);
  /// Runs this member's stage of shards [first, first + count) into the trainer's blocks.
  void run(int first, int count, const Step& step);

 private:
  using Arrays = std::vector<typename Network<T>::PassArray>;

  /// Cuts the network for the members that there are now.
  void cut();
  void run_forward(ShardPass<T>& one, const Step& step);
  void run_backward(ShardPass<T>& one, const Step& step);
  /// Sums this stage's pieces over the shards into block 0.
  void add_up_own();
  [[nodiscard]] bool has_stage() const { return own_ < static_cast<int>(stages_.size()); }
  [[nodiscard]] bool is_last() const { return own_ + 1 == static_cast<int>(stages_.size()); }

  Trainer<T>& trainer_;
  StageLinks& links_;
  int members_ = 0;  ///< for which the network is cut
  int own_ = 0;      ///< this member's number, and its stage's
  std::vector<StageLayers> stages_;
  std::vector<StageLinks::Piece> pieces_;  ///< of the slab, by the stage that has their sums
  /// At the beginning of this stage and at its end: on the way forward, and on the way back.
  Arrays enter_, leave_, give_back_, come_back_;
  std::vector<ShardPass<T>> passes_;  ///< one for each shard that is under way
};

extern template class StageMember<float>;

}  // namespace nn
