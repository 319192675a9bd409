#include "nn/training/train.h"

#include <algorithm>
#include <bit>

#include "nn/losses/loss.h"
#include "nn/optimizers/optimizer.h"
#include "nn/training/arrival_loop.h"
#include "nn/training/overlap.h"
#include "nn/training/step_loop.h"
#include "nn/training/step_plan.h"
#include "nn/training/step_resources.h"
#include "nn/training/train_checks.h"
#include "nn/training/trainer.h"

namespace nn {

int shards_of(const Hyper& hyper, const ModelSpec& spec, const kern::Memory& memory) {
  if (hyper.shards > 0) return hyper.shards;
  if (!memory.own) return 1;
  constexpr double kFlops = 50e6, kUses = 100, kMost = 8;
  const Flops row = flops_per_row(spec);
  const double batch = hyper.batch;
  const double weights = static_cast<double>(std::max<std::uint64_t>(1, weight_count(spec)));
  const double uses = batch * static_cast<double>(row.forward) / (2 * weights);
  const double shards =
      std::min({static_cast<double>(row.training) * batch / kFlops, uses / kUses, kMost, batch});
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1.0, shards))));
}

TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace, ParamSlab& net,
                       const DataView& data, const Hyper& hyper, const Segment& segment,
                       const StopPredicate& stop, Parallel* parallel, GradientSums* gang,
                       const Execution& execution) {
  check_training(kernels, net, hyper, segment);
  const kern::Memory& memory = *kernels.memory;
  StepPlan plan = plan_steps(memory, net.header(), data, hyper, segment);
  if (gang != nullptr) check_gang(memory, hyper, gang->own(plan.shards));
  const Network<float>& network =
      workspace.network(net.spec(), kernels, largest_part(plan.batch, plan.shards), Use::training);
  check_data(network, data, hyper);
  if (gang != nullptr && gang->stages() != nullptr)
    plan.passes =
        shards_under_way(gang->stages()->most_members(), std::min(plan.shards, kShardsSideBySide),
                         StageOrder::one_forward_one_backward);
  else if (gang != nullptr && gang->under_way() != nullptr)
    // Where members are lost, one may have all shards.
    plan.passes = passes_side_by_side(plan.shards, Trainer<float>::pass_bytes(network, data),
                                      gang->under_way()->rules().memory);
  else if (gang == nullptr)
    plan_stages(plan, memory, net.spec(), execution.stages.count, execution.stages.order);

  const auto loss = loss_function<float>(hyper.loss, data);
  const auto update = optimizer_of(hyper.optimizer.kind).bind(hyper.optimizer.fields, float{});
  StepResources resources(plan, network, hyper, data, workspace, net);
  const TrainerInputs<float> inputs{.network = network,
                                    .loss = *loss,
                                    .update = *update,
                                    .data = data,
                                    .weights = resources.weights(),
                                    .slots = resources.slots(),
                                    .slot_count = net.header().slots,
                                    .arena = resources.arena(),
                                    .units = plan.aged ? net.units(memory) : UnitState{},
                                    .feed = resources.feed(),
                                    .step_buffer = resources.step_buffer(),
                                    .parallel = parallel,
                                    .gang = gang};
  Trainer<float> trainer(plan, inputs);

  SlabState state = net.state(memory);
  Tally tally;
  Tally& done = execution.done != nullptr ? *execution.done : tally;
  const StepLoop loop{plan, data, trainer, resources, workspace.rows(), stop, done};
  resources.load();
  const bool arriving = plan.stale && execution.arrivals != nullptr && memory.own;
  const TrainStats stats = plan.asynchronous ? run_asynchronously(loop, *update, state)
                           : arriving
                               ? run_arriving(loop, inputs, state, parallel, *execution.arrivals)
                           : plan.stale      ? run_stale(loop, state)
                           : gang != nullptr ? run_in_gang(loop, state, *gang)
                                             : run_synchronously(loop, state);
  resources.store();
  net.set_state(memory, state);
  return stats;
}

}  // namespace nn
