// Sums on a simulated star, packet by packet in virtual time: through the switch, and around a ring
// of its workers for comparison. Everything repeats for a seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "runtime/net/aggregator/layout.h"
#include "runtime/net/aggregator/links.h"
#include "runtime/net/aggregator/outcome.h"
#include "runtime/net/aggregator/switch.h"
#include "runtime/net/aggregator/worker.h"

namespace rt::net::aggregator {

struct Simulated {
  Fabric fabric;
  std::uint32_t slots = 128;
  Patience patience{std::chrono::milliseconds(1), 100};
  Bitmap bitmap = Bitmap::on;
  std::uint64_t seed = 0;
  base::Duration skew{};  ///< workers begin within this time
  /// The simulation gives up after this virtual time.
  base::Duration limit = std::chrono::seconds(60);
};

/// Sums the terms, one a worker, `times` times in a row. Throws base::Error as Worker::sum().
[[nodiscard]] Outcome simulate(const Simulated& simulated, const Layout& layout,
                               std::span<const std::vector<float>> terms, int times = 1);

/// Returns the time of an all-reduce around a ring of the star's workers: a reduce-scatter and an
/// all-gather of equal parts in packets of a block each. A worker passes a packet on as soon as it
/// has come, so that only the links' rate counts where parts are long.
[[nodiscard]] base::Duration simulate_ring(const Fabric& fabric, unsigned workers,
                                           std::size_t floats);

}  // namespace rt::net::aggregator
