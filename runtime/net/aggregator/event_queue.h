// What happens in a simulation, in the order of virtual time.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace rt::net::aggregator {

/// Events of equal times come in the order in which they were put in. Not thread-safe.
template <class Event>
class EventQueue {
 public:
  void put(base::Moment at, Event event) { queue_.push({at, ++number_, std::move(event)}); }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  [[nodiscard]] base::Moment next() const noexcept { return queue_.top().at; }

  /// Removes the first event and returns it. There must be one.
  [[nodiscard]] Event take() {
    Event event = queue_.top().event;
    queue_.pop();
    return event;
  }

 private:
  struct Entry {
    base::Moment at;
    std::uint64_t number;
    Event event;
    bool operator<(const Entry& other) const noexcept {
      return std::pair(other.at, other.number) < std::pair(at, number);
    }
  };
  std::priority_queue<Entry> queue_;
  std::uint64_t number_ = 0;
};

}  // namespace rt::net::aggregator
