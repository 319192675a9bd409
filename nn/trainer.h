#pragma once
// Trainer<T>: one optimizer step after another on a planned network. train_steps is this for float;
// tests run it for double too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/augment.h"
#include "nn/batch_reader.h"
#include "nn/data/feed.h"
#include "nn/data_view.h"
#include "nn/group_lasso.h"
#include "nn/losses/loss.h"
#include "nn/network.h"
#include "nn/optimizers/optimizer.h"
#include "nn/parallel.h"

namespace nn {

/// Everything referred to outlives the trainer. `arena` holds arena_bytes() bytes, 64-byte aligned,
/// in the memory of the network's kernels, as are the weights and slots of a step; with `parallel`
/// it is that of this thread's workspace, and shards run side by side.
template <class T>
class Trainer {
 public:
  Trainer(const Network<T>& network, const LossFunction<T>& loss, const Update<T>& update,
          const DataView& data, int shards, std::byte* arena, Parallel* parallel = nullptr);

  [[nodiscard]] static std::size_t arena_bytes(const Network<T>& network, const DataView& data,
                                               int shards);

  /// For a reshaped network: when its weights were born. Outlives the trainer.
  void count_ages(Ages<T>& ages);
  /// Pulls units towards 0 behind each step, from the next one on, by `share` times the learning
  /// rate; null: does not. Outlives the trainer.
  void pull_units(GroupLasso<T>* lasso, double share) noexcept { lasso_ = lasso, share_ = share; }
  /// Where random masks come from: the stream of this training, and the ids of units (null: 0, 1,
  /// ...), which outlive the trainer. Without it, all zero.
  void draw_from(std::uint64_t stream, const UnitIds* units) noexcept {
    draws_.stream = stream;
    draws_.units = units;
  }

  /// Shortens longer gradients to this norm, from the next step on; 0: does not.
  void clip_to(double norm) noexcept { clip_ = norm; }
  /// Moves the images of the next steps, which are those of `epoch`; null: does not. Outlives the
  /// trainer.
  void move_images(const Mover* mover, std::int64_t epoch) noexcept {
    mover_ = mover, epoch_ = epoch;
  }

  /// Where the batches come from that the next steps are about, asked for by whoever calls step();
  /// null: from the data. Outlives the trainer.
  void feed_from(TableFeed* feed);

  /// From the next step on, a device finds the numbers and rows of its step in the course, and adds
  /// its loss up there: step() returns nothing then, and waits for nothing unless it clips. For one
  /// shard, without ages and without pulling. Null: arguments say all. Outlives the trainer.
  void follow(kern::Course* course) noexcept { draws_.course = course; }

  /// One step on a batch of at least one row: gradient part by part, summed in a fixed tree, then
  /// the update unless the loss is NaN or infinite. `slots` as Update::run takes them; `step`
  /// counts from 1, `lr` is the rate at it. Returns sums over the batch.
  kern::LossSums step(std::span<const std::uint32_t> rows, T* weights, T* slots, std::int64_t step,
                      double lr);
  /// The same for one shard whose batch has been read to the network's input in this arena, with
  /// the target that came of it.
  kern::LossSums step_on(const Target& read, std::span<const std::uint32_t> rows, T* weights,
                         T* slots, std::int64_t step, double lr);

 private:
  [[nodiscard]] static std::size_t pass_bytes(const Network<T>& network, const DataView& data);
  class Updating;
  /// A step whose gradient is nowhere kept whole: each part of it changes the weights as soon as it
  /// is there. On a device one pass over all of it is the quickest.
  [[nodiscard]] bool updates_at_once() const {
    return shards_ == 1 && ages_ == nullptr && clip_ == 0 && network_->kernels().memory->own;
  }
  void run_shard(int shard, std::span<const std::uint32_t> rows, const T* weights,
                 std::int64_t step, std::byte* arena, GradientSink<T>* sink = nullptr);
  [[nodiscard]] kern::LossSums sum_losses() const;
  /// Calls f(exec, part) for all parts of the slab, side by side where that is possible.
  template <class F>
  void over_parts(F f);
  /// Sums a part of the slab over all shards into the block of shard 0, in a fixed tree in which
  /// neighbours are paired.
  void add_up(kern::Exec& exec, const SlabPart& part) const;
  void update_all(kern::Exec& exec, T* weights, T* slots, std::int64_t step, double lr);
  void update(kern::Exec& exec, const SlabPart& part, T* weights, T* slots, std::int64_t step,
              double lr) const;
  void clip_gradient(kern::Exec& exec);
  [[nodiscard]] T* shard_gradient(int shard) const { return gradients_ + stride_ * shard; }

  const Network<T>* network_;
  const LossFunction<T>* loss_;
  const Update<T>* update_;
  Ages<T>* ages_ = nullptr;
  GroupLasso<T>* lasso_ = nullptr;
  double share_ = 0, clip_ = 0;
  const Mover* mover_ = nullptr;
  std::int64_t epoch_ = 0;
  BatchReader<T> reader_;
  TableFeed* feed_ = nullptr;
  ResidentTable fed_;                  // of this step's batch
  std::vector<std::uint32_t> places_;  // 0, 1, 2, ...: its rows
  Draws draws_;
  int shards_;
  std::byte* arena_;  // of a pass: the network's, then the targets
  Parallel* parallel_;
  std::size_t pass_bytes_;
  const Target* read_ = nullptr;        // of this step's batch, if it has been
  std::vector<kern::LossSums> sums_;    // one a shard
  std::vector<kern::ImageMove> moves_;  // of a batch's images
  T* gradients_;                        // one block a shard
  std::ptrdiff_t stride_;
  std::vector<SlabPart> parts_;  // of what is trained
};

/// Elements that an optimizer's kernel changes at once: a device is asked for all of them.
[[nodiscard]] inline std::size_t update_part(const kern::Memory& memory,
                                             const ParamLayout& layout) {
  return memory.own ? kUpdatePart : std::max(layout.trained, kAlignElements);
}

/// Rows in the largest part of a batch.
[[nodiscard]] constexpr int largest_part(int batch, int shards) {
  return (batch + shards - 1) / shards;
}

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace nn
