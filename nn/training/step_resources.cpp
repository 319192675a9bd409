#include "nn/training/step_resources.h"

#include <algorithm>

#include "kernels/reserve.h"
#include "nn/data/block.h"
#include "nn/losses/loss.h"
#include "nn/optimizers/stale.h"
#include "nn/training/device_steps.h"
#include "nn/training/trainer.h"

namespace nn {

std::size_t training_arena(const Network<float>& network, const DataView& data, const Hyper& hyper,
                           int shards, int passes) {
  const std::optional<Staleness> stale = staleness_of(hyper.optimizer);
  const int held = stale ? stale->replicas : 0;
  return Block::aligned(Trainer<float>::arena_bytes(network, data, shards, held, passes)) +
         (network.kernels().memory->own ? 0 : DeviceSteps::bytes(hyper.batch, hyper.augment));
}

StepResources::StepResources(const StepPlan& plan, const Network<float>& network,
                             const Hyper& hyper, const DataView& data, Workspace& workspace,
                             ParamSlab& net)
    : kernels_(network.kernels()), net_(net), weights_(net.weights().data()) {
  const std::size_t bytes = training_arena(network, data, hyper, plan.shards, plan.passes);
  // Class weights are an array of this training's loss, to which a recording would refer.
  const bool may_keep = plan.recorded && class_weights(hyper.loss, data).empty();
  if (may_keep && move_to_kept(workspace, bytes)) {
    recorded_ = &workspace.recorded(step_key(kernels_, net.spec(), hyper, *data.resident, arena_));
  } else {
    use_arena(plan, data, workspace, bytes);
    if (plan.recorded) recorded_ = &once_.emplace(memory());
  }
  if (plan.asynchronous)
    step_buffer_ = reinterpret_cast<kern::StepBuffer*>(
        arena_ + bytes - DeviceSteps::bytes(plan.batch, plan.augment));
}

bool StepResources::move_to_kept(Workspace& workspace, std::size_t arena_bytes) {
  const std::size_t all = arena_bytes + numbers() * sizeof(float);
  if (all > kern::kKeptByWorker) return false;
  try {
    arena_ = workspace.kept(all, memory());
  } catch (const kern::OutOfMemory&) {
    return false;
  }
  weights_ = reinterpret_cast<float*>(arena_ + arena_bytes);
  return true;
}

void StepResources::use_arena(const StepPlan& plan, const DataView& data, Workspace& workspace,
                              std::size_t arena_bytes) {
  if (!plan.fed) {
    arena_ = workspace.arena(arena_bytes, memory());
    return;
  }
  const FeedShape shape = feed_shape(data);
  const std::size_t rows = std::min(static_cast<std::size_t>(plan.batch), data.rows.size());
  arena_ = workspace.arena(arena_bytes + TableFeed::bytes_there(shape, rows), memory());
  std::byte* const staging =
      workspace.arena(TableFeed::bytes_staged(shape, rows), *kern::feed_of(memory()).staging);
  feed_.emplace(memory(), data, rows, arena_ + arena_bytes, staging);
}

std::size_t StepResources::numbers() const {
  return net_.count() * static_cast<std::size_t>(1 + net_.header().slots);
}

void StepResources::copy(const float* from, float* to) const {
  kern::Exec exec;
  if (from != to) kernels_.scaled_copy(exec, numbers(), 1, from, to);
}

}  // namespace nn
