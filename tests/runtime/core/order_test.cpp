// In which order ready tasks run: the longest expected first, by what their calls took before.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

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

/// Workers in virtual time: a worker is done with its task, and takes the next, when no other
/// worker would be done before it. So who gets what follows from the order of the tasks alone.
class VirtualWorkers {
 public:
  void begin(int workers, int tasks) {
    clocks_.assign(static_cast<std::size_t>(workers), 0);
    left_ = tasks;
  }
  /// A task of so many units on that worker; false when the other workers never came.
  bool run(int worker, int units) {
    std::unique_lock lock(mutex_);
    int& clock = clocks_[static_cast<std::size_t>(worker)];
    clock += units;
    --left_;
    changed_.notify_all();
    const bool done = changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      return left_ == 0 || clock <= std::ranges::min(clocks_);
    });
    changed_.notify_all();
    return done;
  }
  [[nodiscard]] const std::vector<int>& clocks() const { return clocks_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> clocks_;
  int left_ = 0;
};
VirtualWorkers virtual_workers;

/// Keeps workers busy until the test has handed over everything it wants them to choose from.
class Gate {
 public:
  void hold() {
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    changed_.wait_for(lock, kLong, [&] { return open_; });
  }
  [[nodiscard]] bool holds(int workers) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLong, [&] { return held_ == workers; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void shut() {
    held_ = 0;
    open_ = false;
  }

 private:
  static constexpr std::chrono::seconds kLong{60};
  std::mutex mutex_;
  std::condition_variable changed_;
  int held_ = 0;
  bool open_ = false;
};
Gate gate;

const auto hold = rt::task("hold", 1).cpu([](rt::Context&, int) { gate.hold(); });

/// Takes eight milliseconds a unit, or virtual time. What it says of itself is the wrong way round:
/// only experience tells.
const auto train = rt::task("train for units", 1)
                       .cpu([](rt::Context& c, int units, bool in_virtual_time) {
                         if (in_virtual_time) {
                           EXPECT_TRUE(virtual_workers.run(c.worker().index, units));
                         } else {
                           base::sleep_for(std::chrono::milliseconds(8 * units));
                         }
                       })
                       .cost([](const int& units, const bool&) { return rt::Flops{1e3 / units}; });

// The grid of 27 trials that train 10, 20 or 50 epochs, in the order in which a grid proposes them.
// Best makespans: the lower bound max(50, 720 / workers), which longest-first reaches on two and
// four workers.
TEST_F(Order, LongestFirstByExperienceIsNearTheBestOrder) {
  const int workers = testing_rt::workers();
  if (workers < 2) GTEST_SKIP() << "for several workers";
  for (int units : {10, 20, 50}) {
    train(units, false);
    rt::wait_all();
  }
  gate.shut();
  for (int worker = 0; worker < workers; ++worker) hold(worker).demand();
  ASSERT_TRUE(gate.holds(workers));
  virtual_workers.begin(workers, 27);
  for (int repeat = 0; repeat < 9; ++repeat) {
    for (int units : {10, 20, 50}) train(units, true).demand();
  }
  gate.open();
  rt::wait_all();
  const std::vector<int>& clocks = virtual_workers.clocks();
  EXPECT_EQ(std::accumulate(clocks.begin(), clocks.end(), 0), 720);
  EXPECT_LE(std::ranges::max(clocks), std::max(50, 720 / workers) * 1.05);
}

}  // namespace
