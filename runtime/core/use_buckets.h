// What each worker did over time, in a bounded number of buckets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "runtime/summary.h"

namespace rt::inline v0::detail {

/// Nanoseconds by cause.
using CauseNanos = std::array<std::int64_t, kIdleCauses>;

/// Buckets of one width, a millisecond at first. When the last one is full, neighbours become one
/// and the width doubles. Not thread-safe. Nothing but add_worker() and copying takes memory.
class UseBuckets {
 public:
  static constexpr std::size_t kKinds = 2;  ///< of devices
  /// The time that has passed under each cause, for each kind.
  using Passed = std::array<CauseNanos, kKinds>;

  UseBuckets();

  /// Adds a worker; its number is the next one from 0. Buckets begin at the first one's `at`.
  void add_worker(base::Moment at);

  /// The end of the bucket that is being filled: the moment itself lies in it.
  [[nodiscard]] base::Moment until() const noexcept { return until_; }
  /// That moment has come, with `passed` so far; the next bucket is filled.
  void pass(const Passed& passed) noexcept;

  /// Where what a worker did since `from` is added, in nanoseconds; null where some of it belongs
  /// to earlier buckets.
  [[nodiscard]] WorkerTimes* current(unsigned worker, base::Moment from) noexcept {
    return from >= from_ ? &workers_[worker].back() : nullptr;
  }

  /// Spreads nanoseconds of a worker evenly over the time from `from` to `to`, no later than
  /// `until()`.
  void add(unsigned worker, base::Moment from, base::Moment to, double WorkerTimes::*what,
           double nanos) noexcept;
  void add_idle(unsigned worker, base::Moment from, base::Moment to, IdleCause cause,
                double nanos) noexcept;
  /// Adds `share` of what passed for `kind` from `from` (`before`) to `to` (`after`), each bucket
  /// with its own causes.
  void add_passed(unsigned worker, std::size_t kind, base::Moment from, const CauseNanos& before,
                  base::Moment to, const CauseNanos& after, double share = 1) noexcept;

  /// All of it up to `at`, in seconds.
  [[nodiscard]] UseSeries series(base::Moment at) const;

 private:
  template <class Put>
  void spread(unsigned worker, base::Moment from, base::Moment to, const Put& put) noexcept;
  void widen() noexcept;

  base::Moment begin_{}, from_{}, until_{};  ///< of all, and of the bucket that is being filled
  base::Duration width_ = std::chrono::milliseconds(1);
  std::vector<std::vector<WorkerTimes>> workers_;  ///< in nanoseconds; all have as many buckets
  std::vector<Passed> passed_;  ///< at the beginnings of buckets, up to the one that is filled
};

}  // namespace rt::inline v0::detail
