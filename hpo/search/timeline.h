#pragma once
// Virtual time: in which order the events of running trials count.
//
// Each running trial has a lane. A segment that costs c and begins at virtual time t ends at t + c;
// whatever happens in real time, outcomes are due in the order (virtual time, trial number), and
// one is due only when every lane that could still bring an earlier one has brought it. So the
// order is a function of the trials alone.
//
// With Order::arrival the order is the one in which outcomes are posted, and time counts them.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "hpo/study/spec.h"

namespace hpo {

/// Pure bookkeeping, no clock. Not thread-safe. Looking for what is due costs one step a lane.
class Timeline {
 public:
  explicit Timeline(Order order) : order_(order) {}

  struct Due {
    std::uint64_t trial = 0;
    double time = 0;
  };

  /// A trial begins at `time`, or goes on from there after a restart.
  void enter(std::uint64_t trial, double time);
  /// The trial's next outcome comes `cost` (>= 0) later than was said so far; first after its last
  /// one.
  void segment(std::uint64_t trial, double cost);
  /// The outcome of the trial's segment is there: a report or the end. Without a segment it costs
  /// nothing.
  void post(std::uint64_t trial);
  /// The next outcome in order; nothing when it has not been posted yet (or nobody runs).
  [[nodiscard]] std::optional<Due> due() const;
  /// Takes the outcome that is due.
  void take(const Due& due);
  /// The trial is gone; what it posted and was not taken is void.
  void leave(std::uint64_t trial);
  /// Forgets what the trial posted or began after its last outcome taken: it begins that again at
  /// `time`.
  void restart(std::uint64_t trial, double time);

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }

 private:
  struct Lane {
    double tail = 0;             ///< end of what was posted last
    std::optional<double> next;  ///< end of the segment that is on
    std::deque<double> posted;   ///< times of outcomes, or tickets of arrival
  };

  Order order_;
  std::map<std::uint64_t, Lane> lanes_;
  double ticket_ = 0;
};

}  // namespace hpo
