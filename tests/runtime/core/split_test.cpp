// Context::split: parts of a task on idle workers.
#include <atomic>
#include <set>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::parallel;
using testing_rt::Vec;
using testing_rt::workers;
class Split : public testing_rt::RuntimeTest {};

/// Sum of the squares below n, in parts that take about `micros` each.
const auto squares =
    rt::task("squares", 1).cpu([](rt::Context& c, int n, int parts, int micros) -> double {
      std::vector<double> sums(static_cast<std::size_t>(parts));
      c.split(parts, [&](const rt::Part& part) {
        const base::Moment begin = base::now();
        double& sum = sums[static_cast<std::size_t>(part.index())];
        for (int i = n * part.index() / parts; i < n * (part.index() + 1) / parts; ++i)
          sum += static_cast<double>(i) * i;
        while (base::now() - begin < std::chrono::microseconds(micros)) {
        }
      });
      return std::accumulate(sums.begin(), sums.end(), 0.0);
    });

double expected(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(i) * i;
  return sum;
}

TEST_F(Split, RunsEveryPartOnce) {
  const auto count = rt::task("count", 1).cpu([](rt::Context& c, int parts) -> int {
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(parts));
    c.split(parts, [&](const rt::Part& p) { ++hits[static_cast<std::size_t>(p.index())]; });
    int good = 0;
    for (const auto& h : hits) good += h == 1;
    return good;
  });
  for (int parts : {0, 1, 2, 3, 7, 100, 70'000}) EXPECT_EQ(count(parts).get(), parts);
}

/// Two parts that wait for each other: the second needs another worker. One that is still on its
/// way back from other work is not sent for, so they try again. False when none comes for long.
bool meet(rt::Context& c) {
  const base::Moment begin = base::now();
  while (base::seconds_since(begin) < 20) {
    std::atomic<int> here = 0;
    std::atomic<bool> met = false;
    c.split(2, [&](const rt::Part&) {
      const base::Moment came = base::now();
      ++here;
      while (!met && base::seconds_since(came) < 0.1) {
        if (here == 2) met = true;
        std::this_thread::yield();
      }
      --here;
    });
    if (met) return true;
  }
  return false;
}

TEST_F(Split, IdleWorkersTakeParts) {
  EXPECT_EQ(squares(1000, 40, 5).get(), expected(1000));
  if (workers() == 1) {
    EXPECT_EQ(runtime->summary().parts, 0U);
    return;
  }
  const auto both = rt::task("both", 1).cpu([](rt::Context& c, int) -> bool { return meet(c); });
  EXPECT_TRUE(both(1).get());
  EXPECT_GE(runtime->summary().parts, 1U);
}

TEST_F(Split, ManySplitsInOneTask) {
  const auto rounds = rt::task("rounds", 1).cpu([](rt::Context& c, int times) -> std::int64_t {
    std::int64_t total = 0;
    for (int t = 0; t < times; ++t) {
      std::array<std::int64_t, 5> part{};
      c.split(5, [&](const rt::Part& p) {
        part[static_cast<std::size_t>(p.index())] = t * 5 + p.index();
      });
      for (auto v : part) total += v;
    }
    return total;
  });
  const std::int64_t n = 5 * 20'000;
  EXPECT_EQ(rounds(20'000).get(), n * (n - 1) / 2);
}

TEST_F(Split, WorkersComeBackWhenTasksWait) {
  std::vector<rt::Value<double>> wide, narrow;
  for (int i = 0; i < 4; ++i) wide.push_back(squares(100, 200, 20));
  for (int i = 0; i < 100; ++i) narrow.push_back(squares(50, 1, 20));
  for (auto& v : wide) EXPECT_EQ(v.get(), expected(100));
  for (auto& v : narrow) EXPECT_EQ(v.get(), expected(50));
}

TEST_F(Split, TheErrorOfTheLowestPartWins) {
  const auto fail = rt::task("fail", 1)
                        .cpu([](rt::Context& c, std::vector<int> bad) -> int {
                          c.split(50, [&](const rt::Part& p) {
                            for (int b : bad)
                              if (b == p.index())
                                throw std::runtime_error("part " + std::to_string(b));
                          });
                          return 1;
                        })
                        .on_failure(rt::cancel_successors);
  for (const std::vector<int>& bad : {std::vector<int>{49, 7, 30}, {7}}) {
    rt::Value<int> v = fail(bad);
    try {
      v.get();
      FAIL() << "no error";
    } catch (const rt::TaskError& error) {
      EXPECT_EQ(error.details().reason, "part 7");
    }
  }
  EXPECT_EQ(fail(std::vector<int>{}).get(), 1);
}

TEST_F(Split, LocalsBelongToTheWorkerOfThePart) {
  struct Local {
    std::thread::id owner = std::this_thread::get_id();
  };
  const auto task = rt::task("locals", 1).cpu([](rt::Context& c, int parts) -> int {
    std::atomic<int> wrong = 0;
    c.split(parts, [&](const rt::Part& p) {
      wrong += p.local<Local>().owner != std::this_thread::get_id();
    });
    return wrong;
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(task(64).get(), 0);
}

TEST_F(Split, ASlowWorkerLosesNoPart) {
  if (workers() != 2) GTEST_SKIP() << "for two workers";
  ::setenv("TRELLIS_SLOW_WORKER", "0:3", 1);
  start(testing_rt::config());
  ::unsetenv("TRELLIS_SLOW_WORKER");
  const auto share = rt::task("share", 1).cpu([](rt::Context& c, int parts) -> int {
    if (!meet(c)) return -1;
    std::atomic<int> done = 0;
    c.split(parts, [&](const rt::Part&) {
      const base::Moment begin = base::now();
      while (base::now() - begin < std::chrono::microseconds(300)) {
      }
      ++done;
    });
    return done;
  });
  EXPECT_EQ(share(300).get(), 300);
}

}  // namespace
