// From the tasks that ran on a simulated machine to what each device did, and why it was idle.

#include <algorithm>
#include <map>

#include "hpo/driver/simulate.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

using Runs = std::vector<rt::SimulatedRun>;

/// A span in which nothing begins or ends.
struct Span {
  double from = 0, to = 0;
  std::int64_t working = 0;  ///< tasks that run, are brought, or wait for a device
};

std::vector<Span> spans_of(const Runs& runs) {
  std::map<double, std::int64_t> changes;
  for (const rt::SimulatedRun& run : runs) {
    ++changes[run.ready];
    --changes[run.ended];
    changes[run.taken] += 0;
  }
  std::vector<Span> spans;
  std::int64_t working = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    working += at->second;
    const auto next = std::next(at);
    if (next != changes.end()) spans.push_back({at->first, next->first, working});
  }
  return spans;
}

/// The time at which the last task begins on any device of a kind.
double last_begin(const Runs& runs, rt::Device kind) {
  double last = 0;
  for (const rt::SimulatedRun& run : runs)
    if (run.worker.kind == kind) last = std::max(last, run.taken);
  return last;
}

bool idle_in(const std::vector<const rt::SimulatedRun*>& own, const Span& span) {
  return std::ranges::none_of(own, [&](const rt::SimulatedRun* run) {
    return run->taken < span.to && run->ended > span.from;
  });
}

DeviceUse use_of(const std::vector<const rt::SimulatedRun*>& own, const std::vector<Span>& spans,
                 double last, std::int64_t slots) {
  DeviceUse use{.tasks = std::ssize(own)};
  for (const rt::SimulatedRun* run : own) {
    use.busy += run->ended - run->begun;
    use.transfer += run->begun - run->taken;
  }
  for (const Span& span : spans) {
    if (!idle_in(own, span)) continue;
    double& idle = span.from >= last       ? use.idle_end
                   : span.working >= slots ? use.idle_slots
                                           : use.idle_waits;
    idle += span.to - span.from;
  }
  return use;
}

}  // namespace

std::vector<DeviceUse> uses_of(const Runs& runs, const rt::Platform& platform, std::int64_t slots) {
  const std::vector<Span> spans = spans_of(runs);
  std::vector<DeviceUse> uses;
  for (const rt::Device kind : {rt::Device::cpu, rt::Device::cuda}) {
    const double last = last_begin(runs, kind);
    for (int index = 0; index < platform.of(kind).count; ++index) {
      std::vector<const rt::SimulatedRun*> own;
      for (const rt::SimulatedRun& run : runs)
        if (run.worker == rt::WorkerId{0, kind, index}) own.push_back(&run);
      uses.push_back(use_of(own, spans, last, slots));
      uses.back().name = rt::cat(kind == rt::Device::cpu ? "core " : "gpu ", index);
    }
  }
  return uses;
}

}  // namespace hpo
