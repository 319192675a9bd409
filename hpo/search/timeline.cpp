#include "hpo/search/timeline.h"

#include <algorithm>

namespace hpo {

void Timeline::enter(std::uint64_t trial, double time) {
  lanes_[trial].tail = time;
  ticket_ = std::max(ticket_, time);
}

void Timeline::segment(std::uint64_t trial, double cost) {
  Lane& lane = lanes_.at(trial);
  lane.next = lane.next.value_or(lane.tail) + (cost > 0 ? cost : 0);  // no NaN gets into the order
}

void Timeline::post(std::uint64_t trial) {
  Lane& lane = lanes_.at(trial);
  lane.tail = lane.next.value_or(lane.tail);
  lane.next.reset();
  lane.posted.push_back(order_ == Order::arrival ? ++ticket_ : lane.tail);
}

std::optional<Timeline::Due> Timeline::due() const {
  std::optional<Due> first;
  bool posted = false;
  for (const auto& [trial, lane] :
       lanes_) {  // ascending numbers: the lower one stays first among equals
    bool has = !lane.posted.empty();
    if (order_ == Order::arrival && !has) continue;
    double time = has ? lane.posted.front() : lane.next.value_or(lane.tail);
    if (first && first->time <= time) continue;
    first = Due{trial, time};
    posted = has;
  }
  return posted ? first : std::nullopt;
}

void Timeline::take(const Due& due) { lanes_.at(due.trial).posted.pop_front(); }

void Timeline::leave(std::uint64_t trial) { lanes_.erase(trial); }

void Timeline::restart(std::uint64_t trial, double time) {
  lanes_[trial] = Lane{};
  enter(trial, time);
}

}  // namespace hpo
