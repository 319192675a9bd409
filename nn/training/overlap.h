#pragma once
// Overlap<T>: the steps of a gang's member whose sums go on while it computes.
//
// The slab is cut into buckets of whole layers, in an order that the spec fixes. The sum of a
// bucket begins as soon as all of the member's shards have been backward through its layers: the
// last layer first. The sums are shared in the opposite order, so that the next step's forward pass
// can begin when the first bucket is there (Peng et al., "A generic communication scheduler for
// distributed DNN training acceleration", SOSP 2019). Each layer is updated just before that.
//
// Layers are the outer loop and shards the inner one, so that a layer's gradient is done early
// whatever the number of shards. That takes memory for the layers' outputs of several shards.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "nn/training/gang.h"
#include "nn/training/trainer.h"
#include "nn/training/undo.h"

namespace nn {

/// Returns the shards whose layers' outputs a member keeps at the same time, of `own` shards that
/// take so many bytes each: as many as take `memory` bytes at most, but one.
[[nodiscard]] int passes_side_by_side(int own, std::size_t bytes, std::size_t memory);

/// A part of a trainer, which outlives it.
template <class T>
class Overlap {
 public:
  Overlap(Trainer<T>& trainer, SumsUnderWay& sums);

  /// Trainer::step() of a gang. The update may still be to come: see settle().
  kern::LossSums step(const Step& step);
  /// Finishes what the last step has left.
  void settle();
  /// See Trainer::drop().
  bool drop();

 private:
  /// What consecutive layers train.
  struct Bucket {
    std::size_t first = 0;  ///< layer
    SlabPart part;
    std::vector<SlabPart> updates;
    SumsUnderWay::Ticket shared = 0;
  };

  void make_buckets();
  /// Opens the passes of a step, and runs those of the shards that come before them.
  void open(const Step& step);
  void forward();
  void backward();
  void begin_sum(Bucket& bucket);
  void share(Bucket& bucket);
  /// Updates the layers of a bucket by the last step's gradient.
  void update(const Bucket& bucket);
  [[nodiscard]] SumsUnderWay::Part summed(const SlabPart& part) const;

  Trainer<T>& trainer_;
  SumsUnderWay& sums_;
  GradientSums::Shards own_;  ///< of this step
  bool whole_;                ///< true if nothing can be updated before the whole gradient is there
  bool defers_;               ///< true if a step leaves its update to the next one
  std::vector<Bucket> buckets_;       ///< of what is trained, the last layers first
  std::optional<Bucket> state_;       ///< of running statistics
  std::optional<Undo<T>> undo_;       ///< where members may be lost before an update is whole
  std::optional<Step> last_;          ///< the step whose update is to come, without rows
  std::size_t left_ = 0;              ///< buckets that are left to update
  std::vector<ShardPass<T>> passes_;  ///< as many as are run side by side
  std::size_t open_ = 0;              ///< those of this step: some shards may have no rows
  std::vector<T*> empty_;             ///< gradients of the others
  SumsUnderWay::Ticket newest_ = 0;
};

extern template class Overlap<float>;

}  // namespace nn
