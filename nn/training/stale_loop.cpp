// Trains by replicas in virtual time. A gradient is computed when its replica begins, with the
// weights of that moment, and kept until it is applied.

#include <iterator>
#include <span>

#include "nn/training/batches.h"
#include "nn/training/step_loop.h"
#include "nn/training/tally.h"

namespace nn {

TrainStats run_stale(const StepLoop& loop, SlabState& state) {
  const StepPlan& plan = loop.plan;
  TableFeed* const feed = loop.resources.feed();
  Batches batches(loop.data, plan.batch, plan.stream, loop.rows);
  Tally tally;
  if (feed != nullptr && plan.first < plan.last) feed->ask(batches.of(plan.first));
  for (std::int64_t first = plan.first; first < plan.last; first += plan.per_epoch) {
    const StaleEpoch course =
        stale_epoch(*plan.stale, plan.stream, first / plan.per_epoch, plan.per_epoch,
                    [&](std::int64_t step) { return batches.size(first + step); });
    const std::int64_t before = state.steps;
    std::int64_t applied = 0;
    for (const StaleEvent& event : course.events) {
      if (!event.begins) {
        loop.trainer.apply(plan.step(first + applied, {}, before + applied + 1),
                           loop.trainer.held(event.replica));
        ++applied;
        continue;
      }
      if (loop.stop && loop.stop()) return tally.stats(true);
      const std::int64_t at = first + event.step;
      const std::span<const std::uint32_t> rows = batches.of(at);
      const kern::LossSums sums =
          loop.trainer.hold(plan.step(at, rows, before + event.step + 1), event.replica);
      if (!tally.add(sums, std::ssize(rows), state)) return tally.stats(false);
      if (feed != nullptr && at + 1 < plan.last) feed->ask(batches.of(at + 1));
    }
  }
  return tally.stats(false);
}

}  // namespace nn
