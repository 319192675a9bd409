#pragma once
// Trainer<T>: one optimizer step after another on a planned network. train_steps() is this for
// float; tests run it for double too.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/data/data_view.h"
#include "nn/data/feed.h"
#include "nn/losses/loss.h"
#include "nn/network/network.h"
#include "nn/optimizers/optimizer.h"
#include "nn/training/augment.h"
#include "nn/training/batch_reader.h"
#include "nn/training/gang.h"
#include "nn/training/group_lasso.h"
#include "nn/training/parallel.h"
#include "nn/training/step_plan.h"

namespace nn {

/// The most shards whose gradients are kept side by side in the program's memory, so that workers
/// may compute them at the same time.
inline constexpr int kShardsSideBySide = 64;

/// The objects and the memory that a trainer works with. Everything referred to outlives the
/// trainer. Weights, slots and arena lie in the memory of the network's kernels.
template <class T>
struct TrainerInputs {
  const Network<T>& network;  ///< planned for training, for largest_part() rows of the batch
  const LossFunction<T>& loss;
  const Update<T>& update;
  const DataView& data;
  T* weights = nullptr;  ///< [network.layout().count]
  T* slots = nullptr;    ///< as Update::run() takes them
  int slot_count = 0;
  std::byte* arena = nullptr;  ///< Trainer::arena_bytes() bytes, 64-byte aligned
  UnitState units{};           ///< ids and births of a reshaped network's units
  /// Of a plan that is fed. The caller asks it for the rows of a step before step().
  TableFeed* feed = nullptr;
  /// Of an asynchronous plan: the arguments of the steps that are launched.
  kern::StepBuffer* step_buffer = nullptr;
  /// Runs shards side by side; `arena` is then that of this thread's workspace. Null: one after
  /// another.
  Parallel* parallel = nullptr;
  /// Computes the other shards, and sums the gradients of all. For float, without a feed or a step
  /// buffer. Null: this trainer computes all shards.
  GradientSums* gang = nullptr;
};

/// A shard whose pass is run by parts of the network.
template <class T>
struct ShardPass {
  int shard = 0;
  Target target;
  Draws draws;
  typename Network<T>::Pass pass;  ///< refers to `draws`
};

template <class T>
class Overlap;
template <class T>
class Pipelined;
template <class T>
class StageMember;

/// Runs steps on one network in a way that the plan fixes for its life.
template <class T>
class Trainer {
 public:
  Trainer(const StepPlan& plan, TrainerInputs<T> inputs);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Returns the bytes that a trainer needs at TrainerInputs::arena. `held`: gradients that hold()
  /// keeps; `passes`: StepPlan::passes.
  [[nodiscard]] static std::size_t arena_bytes(const Network<T>& network, const DataView& data,
                                               int shards, int held = 0, int passes = 1);
  /// Returns the bytes of them that a pass takes.
  [[nodiscard]] static std::size_t pass_bytes(const Network<T>& network, const DataView& data);

  /// Computes the gradient shard by shard, sums it in a fixed tree, and updates the weights unless
  /// the loss is NaN or infinite. Returns sums over the batch. An asynchronous plan makes it launch
  /// the step's kernels, which read everything but the number of rows in the step buffer. It then
  /// returns zeros, and waits only to clip.
  kern::LossSums step(const Step& step);
  /// Does the same for a plan of one shard whose batch lies in the network's input of this arena
  /// already, with its target.
  kern::LossSums step_on(const Target& target, const Step& step);
  /// Computes the gradient of a step and keeps it, unless the loss is NaN or infinite. Returns sums
  /// over the batch. For a plan that is stale; `number` counts its replicas.
  kern::LossSums hold(const Step& step, int number);
  /// Returns the gradient that hold() has kept.
  [[nodiscard]] const T* held(int number) const { return block(first_held_ + number); }
  /// Updates the weights by such a gradient, of this trainer or another one.
  void apply(const Step& step, const T* gradient);
  /// Finishes what steps have left to do. A gang's step may leave its update: `weights` and `slots`
  /// are those after all steps from here on.
  void settle();
  /// Forgets a step of a gang that MembersChanged has ended. Returns true if the step before it,
  /// whose update was not whole, is undone, too.
  bool drop();

 private:
  friend class Overlap<T>;
  friend class Pipelined<T>;
  friend class StageMember<T>;
  class Updating;
  /// Returns true if each part of the gradient updates its weights as soon as it is computed, so
  /// that the gradient is never whole. On a device one pass over all of it is faster.
  [[nodiscard]] bool updates_at_once() const {
    return shards_ == 1 && in_.gang == nullptr && !ages_ && clip_ == 0 && !in_.update.by_layer() &&
           in_.network.kernels().memory->own;
  }
  /// Runs a step; `target` is null unless the batch has been read.
  kern::LossSums run(const Step& step, const Target* target);
  /// Computes the gradient of a shard into a block.
  void run_shard(int shard, T* gradient, const Step& step, const Target* target, std::byte* arena,
                 GradientSink<T>* sink = nullptr);
  /// Reads a shard for a pass by parts. Returns false if it has no rows: its gradient is zeros.
  [[nodiscard]] bool open(ShardPass<T>& passing, int shard, T* gradient, const Step& step,
                          std::byte* arena);
  /// Computes the shards of a step into blocks, a wave of them at a time. Leaves the last wave in
  /// its blocks, and the sums of earlier ones in those before.
  void run_shards(const Step& step, const Target* target);
  void run_wave(int first, int count, const Step& step, const Target* target);
  /// Computes this member's shards into blocks, and gathers the losses of all.
  /// The shards of a member in this step, with a block for each.
  GradientSums::Shards own_shards();
  void run_own_shards(const Step& step);
  /// Puts the losses of this member's shards into words for a gang's gathering, and takes those of
  /// all from there.
  void pack_losses(GradientSums::Shards own);
  void unpack_losses();
  /// Leaves the sum over the shards of all members in block 0.
  void sum_over_gang();
  /// Reads rows [from, from + rows.size()) of the batch.
  [[nodiscard]] Target read(std::size_t from, std::span<const std::uint32_t> rows,
                            std::int64_t epoch, std::byte* arena);
  [[nodiscard]] kern::LossSums sum_losses() const;
  /// Calls f(exec, part) for all parts of the slab, side by side where that is possible.
  template <class F>
  void over_parts(F f);
  /// Sums a part of the slab over what run_shards() left into block 0, in a fixed tree in which
  /// neighbours are paired.
  void add_up(kern::Exec& exec, const SlabPart& part) const;
  /// Sums a part over the last wave into its first block.
  void add_up_wave(kern::Exec& exec, const SlabPart& part) const;
  /// Adds the uppermost block of sums to the one before it.
  void join_sums(kern::Exec& exec, const SlabPart& part, int sums) const;
  void update_all(kern::Exec& exec, const Step& step);
  void update(kern::Exec& exec, const SlabPart& part, const Step& step, const T* gradient) const;
  /// What follows an update: penalty and running statistics.
  void finish(kern::Exec& exec, const Step& step, const T* gradient);
  void clip_gradient(kern::Exec& exec);
  /// Running statistics, which lie behind what is trained.
  [[nodiscard]] SlabPart state_part() const {
    const ParamLayout& layout = in_.network.layout();
    return {.offset = layout.trained, .count = layout.count - layout.trained};
  }
  [[nodiscard]] T* block(int index) const { return gradients_ + stride_ * index; }
  /// Returns the memory of a pass, of those that are run side by side.
  [[nodiscard]] std::byte* arena(int index) const {
    return index == 0 ? in_.arena
                      : more_passes_ + pass_bytes_ * (static_cast<std::size_t>(index) - 1);
  }

  TrainerInputs<T> in_;
  int shards_;
  int wave_;             // shards whose gradients are kept side by side
  int sums_before_ = 0;  // blocks with sums of whole waves before the last one of this step
  int first_held_ = 0;   // block of the first gradient that hold() keeps
  int in_wave_ = 0;      // shards of that one
  int passes_;           // arenas
  double clip_;
  UnitIds ids_;
  Draws draws_;
  std::optional<Mover> mover_;
  std::optional<Ages<T>> ages_;
  std::optional<GroupLasso<T>> lasso_;
  BatchReader<T> reader_;
  ResidentTable fed_;                   // the batch of this step
  std::vector<std::uint32_t> places_;   // its rows: 0, 1, 2, ...
  std::size_t pass_bytes_;              // of the network's arena and the targets behind it
  std::vector<kern::LossSums> sums_;    // one a shard
  std::vector<std::uint32_t> words_;    // the same for a gang
  std::vector<T*> blocks_;              // of this member's shards, in a gang
  std::vector<kern::ImageMove> moves_;  // one a row of the batch
  T* gradients_;                        // blocks
  std::ptrdiff_t stride_;
  std::byte* more_passes_;               // memory of all passes but the first
  std::vector<SlabPart> parts_;          // of what is trained
  std::unique_ptr<Overlap<T>> overlap_;  // null: sums follow the backward pass, or there are none
  std::unique_ptr<Pipelined<T>> pipelined_;  // null: a shard's pass is run in one piece
  std::unique_ptr<StageMember<T>> stage_;    // null: a gang's members have no stages
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace nn
