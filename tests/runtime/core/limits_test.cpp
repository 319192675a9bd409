// What is bounded: tasks in flight, memory, cores, the idle workers' appetite.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using testing_rt::Vec;

class Limits : public RuntimeTest {};

long resident_kib() {
  long pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return pages * (::sysconf(_SC_PAGESIZE) / 1024);
}

TEST_F(Limits, CallsInFlightAreBounded) {
  rt::Config c = testing_rt::config();
  c.in_flight = 64;
  c.pending = 16;
  start(c);
  static std::atomic<int> runs;
  runs = 0;
  const auto work = rt::task("work").cpu([] { ++runs; });
  int most = 0;
  for (int i = 0; i < 5000; ++i) {
    work();
    most = std::max(most, i + 1 - runs.load());
  }
  rt::wait_all();
  EXPECT_EQ(runs, 5000);
  EXPECT_LE(most, 64 + 16 + 1);
}

TEST_F(Limits, FinishedTasksLeaveNoMemoryBehind) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const auto nop = rt::task("nop").cpu([] {});
  const auto touch = rt::task("touch").cpu([](rt::inout<Vec> v) { v->values()[0] += 1; });
  const auto small = rt::task("small").cpu([](rt::inout<double> x) { return *x += 1; });
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{8, 0}));
  rt::Value<double> x = rt::value(0.0);
  const auto batch = [&](int n) {
    for (int i = 0; i < n; ++i) {
      nop();
      touch(v);
      small(x);
    }
    rt::wait_all();
  };
  batch(20000);
  const long before = resident_kib();
  batch(60000);
  EXPECT_LT(resident_kib() - before, 5 * 1024);
  EXPECT_EQ(v.get().values()[0], 80000);
}

TEST_F(Limits, MemoryOfTasksLetInNeverPassesTheLimit) {
  rt::Config c = testing_rt::config();
  c.memory = {1000};
  start(c);
  static std::atomic<int> used;
  static std::atomic<int> most;
  used = most = 0;
  const auto eat = rt::task("eat")
                       .cpu([](int bytes) {
                         const int now = used += bytes;
                         int seen = most.load();
                         while (now > seen && !most.compare_exchange_weak(seen, now)) {
                         }
                         std::this_thread::sleep_for(std::chrono::microseconds(200));
                         used -= bytes;
                       })
                       .needs([](const int& bytes) {
                         return rt::Resources{.memory = {static_cast<std::uint64_t>(bytes)}};
                       });
  for (int i = 0; i < 100; ++i) eat(300 + i % 4 * 150);
  rt::wait_all();
  EXPECT_LE(most, 1000);
  EXPECT_GT(most, 0);
}

TEST_F(Limits, TwoTasksOfSixtyPercentOfTheMemoryNeverRunTogether) {
  rt::Config c = testing_rt::config();
  c.memory = {1000};
  start(c);
  static std::atomic<int> inside;
  static std::atomic<int> worst;
  inside = worst = 0;
  const auto large = rt::task("large")
                         .cpu([](int) {
                           worst = std::max(worst.load(), ++inside);
                           std::this_thread::sleep_for(std::chrono::milliseconds(2));
                           --inside;
                         })
                         .needs({.memory = {600}});
  const auto small =
      rt::task("small").cpu([] { std::this_thread::sleep_for(std::chrono::microseconds(500)); });
  for (int i = 0; i < 20; ++i) {
    large(i);
    for (int j = 0; j < 5; ++j) small();
  }
  rt::wait_all();
  EXPECT_EQ(worst, 1);
}

/// Small tasks that would fit beside what runs may not pass a large one, or it would never run.
TEST_F(Limits, NobodyPassesALargeTaskThatWaitsForMemory) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "nothing waits where tasks run one after another";
  rt::Config c = testing_rt::config();
  c.memory = {1000};
  start(c);
  static std::mutex mutex;
  static std::vector<int> order;
  static std::atomic<bool> over;
  order.clear();
  over = false;
  const auto use = rt::task("use")
                       .cpu([](int number, std::uint64_t, bool waits) {
                         {
                           const std::scoped_lock lock(mutex);
                           order.push_back(number);
                         }
                         while (waits && !over) std::this_thread::yield();
                       })
                       .needs([](const int&, const std::uint64_t& memory, const bool&) {
                         return rt::Resources{.memory = {memory}};
                       });
  // The first one holds 600 of 1000 until all have been asked for. The second one gives its 200
  // back before or after, by the number of workers. A small one fits beside either.
  use(0, 600, true);
  use(1, 200, false);
  use(2, 1000, false);
  for (int small = 3; small < 8; ++small) use(small, 200, false);
  for (int i = 0; i < 50; ++i) {
    rt::poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  over = true;
  rt::wait_all();
  ASSERT_EQ(order.size(), 8U);
  EXPECT_EQ(order[2], 2) << "the large one comes before all small ones";
}

TEST_F(Limits, AFailedTaskGivesItsMemoryBack) {
  rt::Config c = testing_rt::config();
  c.memory = {1000};
  start(c);
  const auto bad = rt::task("bad")
                       .cpu([](int) -> double { throw std::runtime_error("bad"); })
                       .needs({.memory = {600}})
                       .on_failure(rt::retry(1));
  const auto good = rt::task("good").cpu([](int x) { return x; }).needs({.memory = {1000}});
  for (int i = 0; i < 5; ++i) EXPECT_THROW((void)bad(i).get(), rt::TaskError);
  EXPECT_EQ(good(7).get(), 7);
}

TEST_F(Limits, MoreMemoryThanThereEverIsIsRefusedAtTheCall) {
  rt::Config c = testing_rt::config();
  c.memory = {1000};
  start(c);
  const auto huge = rt::task("huge").cpu([](int) {}).needs({.memory = {1001}});
  try {
    huge(1);
    ADD_FAILURE() << "it must be refused";
  } catch (const base::Error& e) {
    EXPECT_EQ(e.kind(), base::Errc::no_device);
    EXPECT_NE(std::string(e.what()).find("huge"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("memory"), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(rt::wait_all());
}

TEST_F(Limits, SeveralCoresAreReservedForATaskThatNeedsThem) {
  if (testing_rt::workers() < 2) GTEST_SKIP() << "needs two workers";
  static std::atomic<int> running;
  static std::atomic<int> worst;
  running = worst = 0;
  const auto wide = rt::task("wide")
                        .cpu([](rt::Context& c) {
                          const int others = running.fetch_add(100);
                          worst = std::max(worst.load(), others);
                          std::this_thread::sleep_for(std::chrono::milliseconds(2));
                          worst = std::max(worst.load(), running.fetch_sub(100) - 100);
                          return c.cpus();
                        })
                        .needs({.cpus = testing_rt::workers()});
  const auto narrow = rt::task("narrow").cpu([] {
    ++running;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    --running;
  });
  std::vector<rt::Value<int>> all;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 5; ++j) narrow();
    all.push_back(wide());
  }
  for (const auto& v : all) EXPECT_EQ(v.get(), testing_rt::workers());
  EXPECT_EQ(worst, 0) << "another body ran while all cores were reserved";
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(Limits, WorkersRestWhileOneTaskRunsAlone) {
  if (!testing_rt::parallel() || testing_rt::workers() < 2)
    GTEST_SKIP() << "there is no worker without work";
  const auto hold = rt::task("hold").cpu([](rt::in<double>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return cpu_seconds() - before;
  });
  const auto next = rt::task("next").cpu([](rt::in<double> x) { return *x; });
  const rt::Value<double> used = hold(rt::value(1.0));
  EXPECT_LT(next(used).get(), 0.1 * 0.3);
}

TEST_F(Limits, IdleWorkersSleep) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "there are no workers";
  const auto work = rt::task("work").cpu([](rt::in<double> x) { return *x; });
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(work(rt::value(1.0)).get(), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_LT(cpu_seconds() - before, 0.02 * 0.3) << "round " << round;
  }
}

TEST_F(Limits, PausingAndResumingLosesNothing) {
  rt::Config c = testing_rt::config();
  c.idle_seconds = 0.0002;
  start(c);
  const auto next = rt::task("next").cpu([](rt::inout<Vec> v) { v->values()[0] += 1; });
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{8, 0}));
  for (int i = 0; i < 300; ++i) {
    next(v);
    if (i % 3 == 0) {
      EXPECT_EQ(v.get().values()[0], i + 1);
    }
    if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 11)));
  }
  EXPECT_EQ(v.get().values()[0], 300);
}

TEST_F(Limits, TheLongestExpectedTaskGoesFirst) {
  if (!testing_rt::parallel() || testing_rt::workers() != 1)
    GTEST_SKIP() << "one worker shows the order";
  static std::vector<double> order;
  order.clear();
  static std::latch begun(1), submitted(1);
  const auto hold = rt::task("hold").cpu([](rt::in<double>) {
    begun.count_down();
    submitted.wait();
  });
  const auto work = rt::task("work")
                        .cpu([](double flops) { order.push_back(flops); })
                        .cost([](const double& flops) { return rt::Flops{flops}; });
  const auto urgent = rt::task("urgent").cpu([](int) { order.push_back(-1); }).priority(5);
  hold(rt::value(0.0));
  while (!begun.try_wait()) rt::poll();
  for (const double flops : {1e6, 1e9, 1e7, 1e8}) work(flops);
  urgent(1);
  rt::poll();
  submitted.count_down();
  rt::wait_all();
  EXPECT_EQ(order, (std::vector<double>{-1, 1e9, 1e8, 1e7, 1e6}));
}

constexpr std::uint64_t kMega = 1 << 20;

/// Reads the second one of its buffers from main memory where that is what makes it fit.
rt::Work second_may_stay() { return {.streaming = rt::Streaming{.parameter = 1, .memory = kMega}}; }
const auto stepping = rt::task("stepping", 1)
                          .cpu([](rt::inout<Vec>, rt::in<Vec>) { return -1; })
                          .cuda([](rt::Context& context, rt::inout<Vec>, rt::in<Vec>) {
                            return context.streams() ? 1 : 0;
                          })
                          .work([](rt::inout<Vec>, rt::in<Vec>) { return second_may_stay(); });
const auto reading = rt::task("reading", 1)
                         .cpu([](rt::in<Vec>, rt::in<Vec>) { return -1; })
                         .cuda([](rt::Context& context, rt::in<Vec>, rt::in<Vec>) {
                           return context.streams() ? 1 : 0;
                         })
                         .work([](rt::in<Vec>, rt::in<Vec>) { return second_may_stay(); });

class Streams : public ::testing::Test {
 protected:
  static rt::Value<Vec> megabytes(std::uint64_t count) {
    return rt::value(Vec(Vec::Header{count * kMega / sizeof(double)}));
  }
  static std::string refusal(const rt::Value<int>& result) {
    try {
      return "said " + std::to_string(result.get());
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  rt::Runtime runtime{
      {.executor = rt::Executor::sequential, .pretended_gpus = 1, .pretended_memory = {8 * kMega}}};
  rt::On gpu{rt::Device::cuda};
};

TEST_F(Streams, TheInputThatTheTaskNamesMayStay) {
  rt::Value<Vec> net = megabytes(2);
  EXPECT_EQ(reading(net, megabytes(3)).get(), 0);
  EXPECT_EQ(reading(net, megabytes(20)).get(), 1);
  EXPECT_EQ(stepping(net, megabytes(20)).get(), 1);
  const rt::Value<Vec> named = net;
  EXPECT_EQ(stepping(net, megabytes(20)).get(), 1) << "the old net and the new one lie there";
}

TEST_F(Streams, NoOtherOneDoesHoweverLarge) {
  EXPECT_EQ(refusal(reading(megabytes(20), megabytes(2))),
            "task 'reading' needs 22.0 MiB of its device's memory, one has 8.0 MiB");
  rt::Value<Vec> net = megabytes(5);
  EXPECT_EQ(stepping(net, megabytes(2)).get(), 0);
  const rt::Value<Vec> named = net;
  EXPECT_EQ(refusal(stepping(net, megabytes(1))),
            "task 'stepping' needs 11.0 MiB of its device's memory, one has 8.0 MiB");
  const rt::Value<Vec> both = megabytes(9);
  EXPECT_EQ(refusal(reading(both, both)),
            "task 'reading' needs 9.0 MiB of its device's memory, one has 8.0 MiB");
}

}  // namespace
