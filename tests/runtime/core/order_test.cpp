// In which order ready tasks run: the longest expected first, by what their calls took before.
#include <algorithm>
#include <array>
#include <mutex>

#include "runtime/core/pace.h"
#include "tests/runtime/core/support.h"

namespace {

class Order : public testing_rt::RuntimeTest {};

TEST(Pace, LearnsEachSizeAndAsksTheNearest) {
  rt::detail::Pace pace;
  EXPECT_DOUBLE_EQ(pace.expect(10, 0.5), 5);
  pace.learn(10, 1);
  pace.learn(1000, 2);
  EXPECT_DOUBLE_EQ(pace.expect(10, 0.5), 1);
  EXPECT_DOUBLE_EQ(pace.expect(1000, 0.5), 2);
  EXPECT_DOUBLE_EQ(pace.expect(20, 0.5), 2);
  EXPECT_DOUBLE_EQ(pace.expect(2000, 0.5), 4);
  EXPECT_DOUBLE_EQ(pace.expect(0, 0.5), 0);
  pace.learn(0.001, 7e-3);
  EXPECT_DOUBLE_EQ(pace.expect(0.002, 0.5), 14e-3);
  pace.learn(1e30, 1e30);
  EXPECT_DOUBLE_EQ(pace.expect(1e30, 0.5), 1e30);
}

/// Units of work that each worker did.
std::mutex tally;
std::array<int, 64> units_of_worker;

/// Takes `units` milliseconds. What it says of itself is the wrong way round: only experience
/// tells.
const auto train = rt::task("train for units", 1)
                       .cpu([](rt::Context& c, int units) {
                         const rt::Moment begin = rt::now();
                         rt::sleep_for(std::chrono::milliseconds(units));
                         while (rt::now() - begin < std::chrono::milliseconds(units)) {
                         }
                         const std::scoped_lock lock(tally);
                         units_of_worker[static_cast<std::size_t>(c.worker().index)] += units;
                       })
                       .cost([](const int& units) { return rt::Flops{1e3 / units}; });

// The grid of 27 trials that train 10, 20 or 50 epochs, in the order in which a grid proposes them.
// Best makespans: the lower bound max(50, 720 / workers), which longest-first reaches on two and
// four workers.
TEST_F(Order, LongestFirstByExperienceIsNearTheBestOrder) {
  const int workers = testing_rt::workers();
  if (workers < 2) GTEST_SKIP() << "for several workers";
  for (int units : {10, 20, 50}) {
    train(units);
    rt::wait_all();
  }
  units_of_worker.fill(0);
  for (int repeat = 0; repeat < 9; ++repeat) {
    for (int units : {10, 20, 50}) train(units);
  }
  rt::wait_all();
  const int longest = std::ranges::max(units_of_worker);
  EXPECT_EQ(std::accumulate(units_of_worker.begin(), units_of_worker.end(), 0), 720);
  EXPECT_LE(longest, std::max(50, 720 / workers) * 1.05);
}

}  // namespace
