#pragma once
// How a program ended, in the words of the log.

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/study/spec.h"
#include "tasks/supervise/protocol.h"

namespace hpo {

/// The end of a trial whose program ended so. `last` are the last lines that it printed; `starved`:
/// the kernel killed processes of this machine for want of memory since the driver began.
[[nodiscard]] Ended command_end(const StudySpec& study, const tasks::SupervisorNews& news,
                                const std::vector<std::string>& last, bool starved);

/// What to say of a program that ended well and did not report the metric; `others` is what it did
/// report.
[[nodiscard]] std::string nothing_reported(const Metric& metric, const Metrics& others,
                                           const std::string& no_number);

/// Processes that the kernel has killed on this machine for want of memory since it started.
[[nodiscard]] std::uint64_t killed_for_memory();

}  // namespace hpo
