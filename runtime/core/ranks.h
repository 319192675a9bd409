// The scale of priorities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rt::inline v0::detail {

/// Expected durations rank below the user's priorities: 16 ranks for a factor of two, from a
/// microsecond up to months.
inline constexpr std::int32_t kRanks = 1024;
[[nodiscard]] inline std::int32_t rank_of_seconds(double seconds) noexcept {
  if (!(seconds > 1e-6)) return 0;
  return std::min(static_cast<std::int32_t>(16 * std::log2(seconds * 1e6)), kRanks - 1);
}

/// Above what users and durations can reach.
inline constexpr std::int32_t kGangPriority = 1001 * kRanks;

/// Seconds for a unit of cost (a flop) before any task of its kind has run.
inline constexpr double kFirstPace = 1e-10;

}  // namespace rt::inline v0::detail
