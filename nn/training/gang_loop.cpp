#include <iterator>
#include <span>

#include "nn/training/batches.h"
#include "nn/training/step_loop.h"

namespace nn {

namespace {

/// What a step changes besides the numbers of the slab. Members copy it from each other.
struct GangCourse {
  SlabState state;
  Tally tally;
  std::int64_t ended = 0;  // not 0: no step follows
  std::int64_t stopped = 0;
};
static_assert(sizeof(GangCourse) % sizeof(std::uint32_t) == 0);

/// Runs the next step, or finds that there is none. `before` becomes the course before the step.
/// Throws MembersChanged; Trainer::drop() then forgets what was begun.
void run_next(const StepLoop& loop, Batches& batches, GangPoint& point, GangCourse& course,
              GangCourse& before) {
  const std::int64_t step = loop.plan.first + point.done;
  course.ended = step >= loop.plan.last ? 1 : 0;
  if (course.ended != 0) return;
  if (loop.stop && loop.stop()) {
    course.ended = course.stopped = 1;
    return;
  }
  const std::span<const std::uint32_t> rows = batches.of(step);
  const kern::LossSums sums = loop.trainer.step(loop.plan.step(step, rows, course.state.steps + 1));
  before = course;
  if (!course.tally.add(sums, std::ssize(rows), course.state)) course.ended = 1;
  ++point.done;
}

}  // namespace

TrainStats run_in_gang(const StepLoop& loop, SlabState& state, GradientSums& gang) {
  Batches batches(loop.data, loop.plan.batch, loop.plan.stream, loop.rows);
  GangCourse course{.state = state, .tally = loop.done}, before = course;
  GangPoint point{.done = course.tally.steps,
                  .parts = {std::as_writable_bytes(loop.resources.slab()),
                            std::as_writable_bytes(std::span(&course, 1))}};
  while (gang.agree(point)) {
    try {
      while (course.ended == 0 && gang.goes_on()) run_next(loop, batches, point, course, before);
      loop.trainer.settle();
      if (course.ended != 0 && gang.leave()) break;
    } catch (const MembersChanged&) {
      // The step is open, and agree() finds who runs it.
      if (loop.trainer.drop()) {
        course = before;
        --point.done;
      }
    }
  }
  state = course.state;
  loop.done = course.tally;
  // Without an end there were no members any more because somebody asked for one.
  return course.tally.stats(course.stopped != 0 || course.ended == 0);
}

}  // namespace nn
