#pragma once
// How a trial stands: the words of files, JSON and code.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/enum_names.h"

namespace hpo {

/// waiting: created, and no driver is at it (its driver stopped), or paused; running: a live driver
/// is at it; complete: it reached its end; stopped: the rule ended it; failed: see the
/// cause.
enum class TrialState : std::uint8_t { waiting, running, complete, stopped, failed };

/// Why a trial failed. `diverged`: its loss became NaN or infinite; `timeout`: over
/// limits.trial_time; `killed`: its process died of a signal; `lost`: the place where it ran went
/// away.
enum class Cause : std::uint8_t { none, error, diverged, timeout, out_of_memory, killed, lost };

inline constexpr base::EnumNames<TrialState> kTrialStateNames{{{TrialState::waiting, "waiting"},
                                                               {TrialState::running, "running"},
                                                               {TrialState::complete, "complete"},
                                                               {TrialState::stopped, "stopped"},
                                                               {TrialState::failed, "failed"}}};
inline constexpr base::EnumNames<Cause> kCauseNames{{{Cause::none, ""},
                                                     {Cause::error, "error"},
                                                     {Cause::diverged, "diverged"},
                                                     {Cause::timeout, "timeout"},
                                                     {Cause::out_of_memory, "out_of_memory"},
                                                     {Cause::killed, "killed"},
                                                     {Cause::lost, "lost"}}};

[[nodiscard]] constexpr std::string_view name_of(TrialState state) {
  return kTrialStateNames[state];
}
/// Whether it is complete, stopped or failed.
[[nodiscard]] constexpr bool has_ended(TrialState state) {
  return state != TrialState::waiting && state != TrialState::running;
}
/// The cause's word; "" for none.
[[nodiscard]] constexpr std::string_view name_of(Cause cause) { return kCauseNames[cause]; }

/// The inverse; nothing for other words.
[[nodiscard]] constexpr std::optional<TrialState> trial_state_of(std::string_view name) {
  return kTrialStateNames.find(name);
}
[[nodiscard]] constexpr std::optional<Cause> cause_of(std::string_view name) {
  return kCauseNames.find(name);
}

}  // namespace hpo
