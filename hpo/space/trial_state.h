#pragma once
// How a trial stands: the words of files, JSON and code.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hpo {

/// waiting: created, and no driver is at it (its driver stopped), or paused; running: a live driver
/// is at it; complete: it reached its end; stopped: the rule ended it; failed: see the
/// cause.
enum class TrialState : std::uint8_t { waiting, running, complete, stopped, failed };

/// Why a trial failed. `diverged`: its loss became NaN or infinite; `timeout`: over
/// limits.trial_time; `killed`: its process died of a signal; `lost`: the place where it ran went
/// away.
enum class Cause : std::uint8_t { none, error, diverged, timeout, out_of_memory, killed, lost };

inline constexpr std::array<std::string_view, 5> kTrialStateNames{"waiting", "running", "complete",
                                                                  "stopped", "failed"};
inline constexpr std::array<std::string_view, 7> kCauseNames{
    "", "error", "diverged", "timeout", "out_of_memory", "killed", "lost"};

[[nodiscard]] constexpr std::string_view name_of(TrialState state) {
  return kTrialStateNames[static_cast<std::size_t>(state)];
}
/// The cause's word; "" for none.
[[nodiscard]] constexpr std::string_view name_of(Cause cause) {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

/// The inverse; nothing for other words.
[[nodiscard]] constexpr std::optional<TrialState> trial_state_of(std::string_view name) {
  for (std::size_t i = 0; i < kTrialStateNames.size(); ++i) {
    if (kTrialStateNames[i] == name) return static_cast<TrialState>(i);
  }
  return {};
}
[[nodiscard]] constexpr std::optional<Cause> cause_of(std::string_view name) {
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    if (kCauseNames[i] == name) return static_cast<Cause>(i);
  }
  return {};
}

}  // namespace hpo
