// The links of a simulated star: workers around one switch, each with a link of two directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/random.h"

namespace rt::net::aggregator {

/// Rates, times and faults of each link. Probabilities are for each packet on each link.
struct Fabric {
  double bytes_per_second = 1.25e9;                         ///< of each direction: 10 Gbit/s
  base::Duration latency = std::chrono::nanoseconds(2500);  ///< from end to end
  /// Bytes around a datagram on Ethernet: preamble 8, header 14, IP 20, UDP 8, checksum 4, gap 12.
  std::size_t overhead = 66;
  double lose = 0;
  double repeat = 0;
  double late = 0;  ///< behind packets that were sent after it
  base::Duration lateness = std::chrono::microseconds(200);  ///< at most, of a late or second one
};

/// When packets arrive. A packet takes its direction of a link for its size over the rate, after
/// those that were sent before it. Repeats for a seed.
class Links {
 public:
  Links(const Fabric& fabric, unsigned workers, std::uint64_t seed);

  enum class Direction : std::uint8_t { to_switch, from_switch };

  /// Sends a packet and returns when it arrives: never, once or twice.
  [[nodiscard]] std::vector<base::Moment> send(unsigned worker, Direction direction,
                                               std::size_t bytes, base::Moment now);

  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  [[nodiscard]] base::Stream& dice() noexcept { return dice_; }

 private:
  [[nodiscard]] base::Duration lateness();

  Fabric fabric_;
  base::Stream dice_;
  std::vector<double> free_;  ///< nanoseconds; a packet may take a part of one
  std::uint64_t lost_ = 0;
};

}  // namespace rt::net::aggregator
