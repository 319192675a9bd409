#pragma once
// How a program ended, in the words of the log.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hpo/driver/programs/command_reports.h"
#include "hpo/driver/trial_work.h"
#include "hpo/log/event.h"
#include "hpo/study/spec.h"
#include "tasks/supervise/protocol.h"

namespace hpo {

/// The end of a trial whose program, the executable at `path`, ended so. `last` are the last lines
/// that it printed; `starved`: the kernel killed processes of this machine for want of memory since
/// the driver began.
[[nodiscard]] Ended command_end(const StudySpec& study, const std::string& path,
                                const tasks::SupervisorNews& news,
                                const std::vector<std::string>& last, bool starved);

/// Throws TrialFailure (diverged) where what is searched for is no number, or infinitely good: what
/// divides by 0 or takes its logarithm would beat all others.
void require_numbers(const StudySpec& study, const Report& report);

/// One more report, of a program that ended well, where something that decides came behind its last
/// one: what it was measured by, or what it reported without the metric. `printed`: last lines of
/// its output, where these are known. `seconds`: how long it
/// ran. Throws TrialFailure where it never reported what decides, and as require_numbers().
[[nodiscard]] std::optional<Report> closing_report(const StudySpec& study, CommandReports& reports,
                                                   int status, double seconds,
                                                   const std::vector<std::string>& printed = {});

/// How long the end of a program that may have had a signal to its whole job waits to be judged:
/// where this process gets the same signal meanwhile, the trial has not failed.
inline constexpr base::Duration kJobSignal = std::chrono::milliseconds(700);
[[nodiscard]] bool may_be_of_the_job(const tasks::SupervisorNews& news);

/// Processes that the kernel has killed on this machine for want of memory since it started.
[[nodiscard]] std::uint64_t killed_for_memory();

}  // namespace hpo
