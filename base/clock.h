// Time and waiting. Every duration of the program comes from here and never from the wall clock, so
// that a clock that jumps changes nothing, and so that a simulated run can bring its own time.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace base {

using Duration = std::chrono::nanoseconds;

/// A moment on the monotonic clock: nanoseconds since some unknown start. Only differences mean
/// anything.
struct Moment {
  std::int64_t nanos = 0;

  auto operator<=>(const Moment&) const = default;
  friend Duration operator-(Moment a, Moment b) { return Duration(a.nanos - b.nanos); }
  friend Moment operator+(Moment a, Duration d) { return {a.nanos + d.count()}; }
};

/// Now, on the clock that is installed: the machine's monotonic one unless a simulation brought its
/// own.
[[nodiscard]] Moment now() noexcept;

[[nodiscard]] constexpr double seconds(Duration d) noexcept {
  return static_cast<double>(d.count()) * 1e-9;
}
[[nodiscard]] inline double seconds_since(Moment start) noexcept { return seconds(now() - start); }

/// Blocks the calling thread for at least `d` (zero or less: returns at once). Signals do not cut
/// it short.
void sleep_for(Duration d);

/// Where `now` and `sleep_for` get their time from.
struct ClockSource {
  Moment (*now)() noexcept;
  void (*sleep)(Duration);
};

/// Installs another clock for the whole process; call it before other threads run.
/// `machine_clock()` brings the real one back.
void install_clock(ClockSource source) noexcept;
[[nodiscard]] ClockSource machine_clock() noexcept;

/// CPU time used so far by the whole process (user and system), for reports.
[[nodiscard]] Duration process_cpu_time() noexcept;

/// The wall clock as microseconds since 1970, and as "2026-11-20T09:30:00Z": for display and
/// records only, never for a decision.
[[nodiscard]] std::int64_t wall_micros() noexcept;
[[nodiscard]] std::string wall_time();
[[nodiscard]] std::string wall_text(std::int64_t micros);
/// The seconds since 1970 that such a text names; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> wall_seconds(const std::string& text);

}  // namespace base
