#include "nn/training/step_loop.h"

#include <iterator>
#include <span>

#include "nn/training/batches.h"

namespace nn {

TrainStats run_synchronously(const StepLoop& loop, SlabState& state) {
  const StepPlan& plan = loop.plan;
  TableFeed* const feed = loop.resources.feed();
  Batches batches(loop.data, plan.batch, plan.stream, loop.rows);
  Tally& tally = loop.done;
  bool stopped = false;
  const std::int64_t first = plan.first + tally.steps;
  if (feed != nullptr && first < plan.last) feed->ask(batches.of(first));
  for (std::int64_t step = first; step < plan.last; ++step) {
    stopped = loop.stop && loop.stop();
    if (stopped) break;
    const std::span<const std::uint32_t> rows = batches.of(step);
    const kern::LossSums sums = loop.trainer.step(plan.step(step, rows, state.steps + 1));
    if (!tally.add(sums, std::ssize(rows), state)) break;
    if (feed != nullptr && step + 1 < plan.last) feed->ask(batches.of(step + 1));
  }
  return tally.stats(stopped);
}

}  // namespace nn
