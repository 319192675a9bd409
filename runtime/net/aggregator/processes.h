// An aggregation in real processes on this machine: a switch and its workers over UDP.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/net/aggregator/layout.h"
#include "runtime/net/aggregator/outcome.h"
#include "runtime/net/aggregator/worker.h"

namespace rt::net::aggregator {

struct Processes {
  std::uint32_t slots = 16;
  Patience patience;
  double drop = 0;  ///< of the packets that each process sends
  std::uint64_t seed = 0;
};

/// Sums the terms, one a process, `times` times in a row. All processes are copies of this one and
/// end with it. The outcome's time is the longest of a worker's, without starting it. Throws
/// base::Error (data) as Worker::sum(), (storage) without ports or answers; base::NoMore.
[[nodiscard]] Outcome run_processes(const Processes& processes, const Layout& layout,
                                    std::span<const std::vector<float>> terms, int times = 1);

}  // namespace rt::net::aggregator
