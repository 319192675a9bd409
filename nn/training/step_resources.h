#pragma once
// What the steps of a training use on the device that runs them: memory, copies, a recording.

#include <cstddef>
#include <optional>
#include <span>

#include "kernels/kernels.h"
#include "kernels/step_buffer.h"
#include "nn/data/data_view.h"
#include "nn/data/feed.h"
#include "nn/model/slab.h"
#include "nn/network/network.h"
#include "nn/network/workspace.h"
#include "nn/training/hyper.h"
#include "nn/training/recorded_step.h"
#include "nn/training/step_plan.h"

namespace nn {

/// Returns the bytes of a training's arena, without those of a feed: what the trainer takes and, on
/// a device, a step buffer behind it.
[[nodiscard]] std::size_t training_arena(const Network<float>& network, const DataView& data,
                                         const Hyper& hyper, int shards, int passes = 1);

/// Arena, weights, feed and recording of one training. All lie in the workspace or in `net`, and
/// everything referred to outlives this.
///
/// A small network on a device is copied to memory that the worker keeps from one training to the
/// next. The addresses in the kernel calls of its steps then stay the same, and so the recording
/// can be used again.
class StepResources {
 public:
  StepResources(const StepPlan& plan, const Network<float>& network, const Hyper& hyper,
                const DataView& data, Workspace& workspace, ParamSlab& net);

  [[nodiscard]] const kern::Memory& memory() const { return *kernels_.memory; }
  /// As Trainer::arena_bytes() says.
  [[nodiscard]] std::byte* arena() const { return arena_; }
  [[nodiscard]] float* weights() const { return weights_; }
  [[nodiscard]] float* slots() const { return weights_ + net_.count(); }
  /// Weights and slots.
  [[nodiscard]] std::span<float> slab() const { return {weights_, numbers()}; }
  /// Null unless the plan is asynchronous. DeviceSteps::bytes() bytes begin there.
  [[nodiscard]] kern::StepBuffer* step_buffer() const { return step_buffer_; }
  /// Null unless the plan is fed.
  [[nodiscard]] TableFeed* feed() { return feed_ ? &*feed_ : nullptr; }
  /// Null unless the plan is recorded.
  [[nodiscard]] RecordedStep* recorded() const { return recorded_; }

  /// Copies the network to weights() and slots(), unless they are its own.
  void load() const { copy(net_.weights().data(), weights_); }
  /// Copies weights() and slots() back to the network.
  void store() const { copy(weights_, net_.weights().data()); }

 private:
  /// Returns true if arena and network have moved to `bytes` bytes that the worker keeps. Returns
  /// false if the device has no room.
  bool move_to_kept(Workspace& workspace, std::size_t arena_bytes);
  /// Leaves the network where it is. Takes the arena, with a feed behind it if the plan is fed.
  void use_arena(const StepPlan& plan, const DataView& data, Workspace& workspace,
                 std::size_t arena_bytes);
  void copy(const float* from, float* to) const;
  [[nodiscard]] std::size_t numbers() const;

  const kern::Kernels<float>& kernels_;
  ParamSlab& net_;
  std::byte* arena_ = nullptr;
  float* weights_;
  kern::StepBuffer* step_buffer_ = nullptr;
  std::optional<TableFeed> feed_;
  std::optional<RecordedStep> once_;
  RecordedStep* recorded_ = nullptr;
};

}  // namespace nn
