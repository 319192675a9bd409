// The kinds of learning-rate schedules. Adding one: a file pair in this folder that defines `const
// Schedule& <kind>_schedule()`, and its line in the list below.

#include "nn/registry.h"

#include "nn/schedules/schedule.h"

#define TRELLIS_SCHEDULES(ADD) \
  ADD(constant)                \
  ADD(step)                    \
  ADD(cosine)                  \
  ADD(warmup)                  \
  ADD(one_cycle)

namespace nn {

#define TRELLIS_DECLARE(kind) const Schedule& kind##_schedule();
TRELLIS_SCHEDULES(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<const Schedule*>& schedule_registry() {
#define TRELLIS_ENTRY(kind) &kind##_schedule(),
  static const base::Registry<const Schedule*> kRegistry{TRELLIS_SCHEDULES(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const Schedule* const> schedules() { return schedule_registry().entries(); }

const Schedule& schedule_of(std::string_view kind) {
  return entry_of(schedule_registry(), kind, "schedule");
}

std::span<const KindInfo> schedule_kinds() { return schedule_registry().infos(); }

LrCurve schedule_curve(const Choice& schedule, double lr, std::int64_t epochs) {
  const Schedule& entry = schedule_of(schedule.kind);
  return entry.curve(complete(entry.info(), schedule.fields, "schedule " + schedule.kind), lr,
                     epochs);
}

}  // namespace nn
