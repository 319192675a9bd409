// How long sums take on a simulated star: against slots, workers, loss, and a ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/net/aggregator/simulation.h"
#include "tests/runtime/net/aggregator/terms.h"

namespace rt::net::aggregator {
namespace {

using std::chrono::nanoseconds;

/// A link on which a whole block takes 100 ns and a packet and its answer are away for 10 us.
Fabric hundred_packets() {
  Fabric fabric;
  fabric.bytes_per_second = static_cast<double>(kMostPacketBytes + fabric.overhead) / 100e-9;
  fabric.latency = nanoseconds(4900);  // twice, and each packet is on two links
  return fabric;
}

double microseconds_of(const Fabric& fabric, unsigned workers, std::uint32_t slots,
                       std::size_t blocks) {
  const Layout layout({{"all", blocks * kBlockFloats}});
  Simulated simulated;
  simulated.fabric = fabric;
  simulated.slots = slots;
  const Outcome outcome = simulate(simulated, layout, drawn_terms(layout, workers, 1));
  EXPECT_TRUE(outcome.done);
  return base::seconds(outcome.time) * 1e6;
}

TEST(Timing, SlotsBeyondRoundTripOverPacketTimeBringNothing) {
  const Fabric fabric = hundred_packets();
  const auto time = [&](std::uint32_t slots) { return microseconds_of(fabric, 8, slots, 2048); };
  const double t8 = time(8), t16 = time(16), t64 = time(64), t128 = time(128), t256 = time(256);
  EXPECT_NEAR(t256 / t128, 1, 0.01);
  // Before the knee at 100 slots, slots pass once in a round trip.
  EXPECT_NEAR(t8, 10.0 * 2048 / 8, 0.03 * t8);
  EXPECT_NEAR(t16, 10.0 * 2048 / 16, 0.03 * t16);
  EXPECT_NEAR(t64, 10.0 * 2048 / 64, 0.05 * t64);
  // Behind it, the link is the limit, after the exponents' round trip and before the last one.
  EXPECT_NEAR(t128, 2 * 10 + 0.1 * 2048, 0.01 * t128);
  // Just before the knee and just behind it.
  EXPECT_GT(time(90) / t256, 1.07);
  EXPECT_LT(time(110) / t256, 1.02);
}

TEST(Timing, DoesNotDependOnTheNumberOfWorkers) {
  const Fabric fabric;  // 10 Gbit/s, 1 MiB
  const auto time = [&](unsigned workers) { return microseconds_of(fabric, workers, 128, 1024); };
  const std::vector<double> times{time(4), time(8), time(16), time(32)};
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LE(*most / *least, 1.02);
}

TEST(Timing, ARingSendsEachFloatAlmostTwice) {
  const Fabric fabric;
  for (const unsigned n : {2U, 4U, 8U, 16U, 32U}) {
    const double through_switch = microseconds_of(fabric, n, 128, 1024);
    const double around = base::seconds(simulate_ring(fabric, n, 1024 * kBlockFloats)) * 1e6;
    EXPECT_NEAR(around / through_switch / (2.0 * (n - 1) / n), 1, 0.1) << n;
  }
}

TEST(Timing, ARingOfOneHasNothingToDo) { EXPECT_EQ(simulate_ring({}, 1, 1000).count(), 0); }

}  // namespace
}  // namespace rt::net::aggregator
