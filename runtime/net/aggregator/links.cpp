#include "runtime/net/aggregator/links.h"

#include <algorithm>
#include <cmath>

namespace rt::net::aggregator {

Links::Links(const Fabric& fabric, unsigned workers, std::uint64_t seed)
    : fabric_(fabric), dice_(seed, "links"), free_(2 * std::size_t{workers}) {}

base::Duration Links::lateness() {
  return base::Duration(static_cast<std::int64_t>(dice_.uniform() * fabric_.lateness.count()));
}

std::vector<base::Moment> Links::send(unsigned worker, Direction direction, std::size_t bytes,
                                      base::Moment now) {
  double& free = free_[2 * std::size_t{worker} + (direction == Direction::from_switch)];
  const double start = std::max(free, static_cast<double>(now.nanos));
  free = start + 1e9 * static_cast<double>(bytes + fabric_.overhead) / fabric_.bytes_per_second;
  // A lost packet was on the link, too.
  if (fabric_.lose > 0 && dice_.uniform() < fabric_.lose) {
    ++lost_;
    return {};
  }
  const base::Moment there = base::Moment{std::llround(free)} + fabric_.latency;
  const bool late = fabric_.late > 0 && dice_.uniform() < fabric_.late;
  std::vector<base::Moment> arrivals{late ? there + lateness() : there};
  if (fabric_.repeat > 0 && dice_.uniform() < fabric_.repeat) {
    arrivals.push_back(there + lateness());
  }
  return arrivals;
}

}  // namespace rt::net::aggregator
