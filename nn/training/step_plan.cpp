#include "nn/training/step_plan.h"

#include <algorithm>
#include <iterator>

#include "nn/data/feed.h"
#include "nn/optimizers/stale.h"
#include "nn/training/train.h"
#include "nn/training/trainer.h"

namespace nn {
namespace {

LrCurve rates_of(const Hyper& hyper) {
  LrCurve rates = hyper.lr;
  if (rates.empty()) append_rest(rates, real(hyper.optimizer.fields, "lr"));
  return rates;
}

}  // namespace

double StepPlan::rate_at(std::int64_t step) const {
  const std::int64_t epoch = step / per_epoch;
  return lr_at(rates, static_cast<double>(epoch) +
                          static_cast<double>(step % per_epoch) / static_cast<double>(per_epoch));
}

double StepPlan::pull_at(std::int64_t step) const {
  if (penalty.until != 0 && step >= penalty.until * per_epoch) return 0;
  return penalty.strength / static_cast<double>(per_epoch);
}

Step StepPlan::step(std::int64_t at, std::span<const std::uint32_t> rows,
                    std::int64_t number) const {
  return {.rows = rows,
          .number = number,
          .rate = rate_at(at),
          .epoch = at / per_epoch,
          .pull = pull_at(at)};
}

void plan_stages(StepPlan& plan, const kern::Memory& memory, const ModelSpec& spec, int stages,
                 StageOrder order) {
  const int shards = std::min(plan.shards, kShardsSideBySide);
  if (stages < 2 || shards < 2 || !memory.own) return;
  plan.stages = stages_of(spec, stages);
  plan.order = order;
  plan.passes = shards_under_way(static_cast<int>(plan.stages.size()), shards, order);
}

StepPlan plan_steps(const kern::Memory& memory, const ParamSlab::Header& net, const DataView& data,
                    const Hyper& hyper, const Segment& segment) {
  const std::int64_t per_epoch = steps_per_epoch(std::ssize(data.rows), hyper.batch);
  StepPlan plan{.first = steps_to(segment.from, segment, per_epoch),
                .last = steps_to(segment.to, segment, per_epoch),
                .per_epoch = per_epoch,
                .batch = hyper.batch,
                .shards = shards_of(hyper, net.spec, memory),
                .stream = hyper.shuffle,
                .rates = rates_of(hyper),
                .clip = hyper.clip,
                .penalty = hyper.penalty,
                .augment = hyper.augment,
                .stale = staleness_of(hyper.optimizer),
                .aged = net.reshaped,
                .fed = is_fed(memory, data)};
  // Sums over shards, ages and penalties are computed from arguments of the host. Clipping waits
  // for the gradient's norm, and a feed copies to another place at each step: neither can be
  // recorded.
  plan.asynchronous =
      !memory.own && plan.shards == 1 && !plan.aged && plan.penalty.strength == 0 && !plan.stale;
  plan.recorded = plan.asynchronous && !plan.fed && plan.clip == 0;
  return plan;
}

}  // namespace nn
