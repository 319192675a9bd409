// What a run of an aggregation brought, simulated or in processes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace rt::net::aggregator {

struct Outcome {
  bool done = false;  ///< all workers have all sums
  base::Duration time{};
  std::vector<std::vector<float>> sums;  ///< of each worker, one after the other
  std::uint64_t sent = 0;                ///< by workers
  std::uint64_t resent = 0;              ///< of these, because no answer came
  std::uint64_t lost = 0;                ///< on purpose, in any direction
};

}  // namespace rt::net::aggregator
