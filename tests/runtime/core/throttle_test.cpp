// Config::in_flight: calls wait while too many are unfinished, except for those that the caller
// itself holds back.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using Clock = std::chrono::steady_clock;

constexpr int kLimit = 64;
constexpr int kPending = 16;
constexpr auto kLong =
    std::chrono::seconds(10);  // what a throttle that goes by time would add up to

std::atomic<int> runs;

const auto work = rt::task("work").cpu([] { ++runs; });
const auto follow = rt::task("follow").cpu([](rt::in<double>) { ++runs; });

class Throttle : public RuntimeTest {
 protected:
  void SetUp() override {
    runs = 0;
    rt::Config c = testing_rt::config();
    c.in_flight = kLimit;
    c.pending = kPending;
    start(c);
  }
};

TEST_F(Throttle, CallsBehindAPromiseAreNotWaitedFor) {
  rt::Promise<double> p;
  const auto begin = Clock::now();
  for (int i = 0; i < 2000; ++i) follow(p.value());
  EXPECT_LT(Clock::now() - begin, kLong);
  EXPECT_EQ(runs, 0);
  p.set(1.0);
  rt::wait_all();
  EXPECT_EQ(runs, 2000);
}

TEST_F(Throttle, CallsBehindAPromiseDoNotLoosenItForOthers) {
  rt::Promise<double> p;
  for (int i = 0; i < 500; ++i) follow(p.value());
  int most = 0;
  for (int i = 0; i < 3000; ++i) {
    work();
    most = std::max(most, i + 1 - runs.load());
  }
  EXPECT_LE(most, kLimit + kPending + 1);
  p.set(1.0);
  most = 0;
  const int before = 500 + 3000;
  for (int i = 0; i < 3000; ++i) {
    work();
    most = std::max(most, before + i + 1 - runs.load());
  }
  EXPECT_LE(most, 500 + kLimit + kPending + 1);
  rt::wait_all();
  EXPECT_EQ(runs, before + 3000);
}

TEST_F(Throttle, ACoroutineMayCallMoreThanTheLimitBehindAnother) {
  const auto second = [](rt::Value<double> go) -> rt::Async<double> { co_return co_await go; };
  const auto first = [](rt::Value<double> late, rt::Promise<double> go) -> rt::Async<int> {
    for (int i = 0; i < 1000; ++i) follow(late);
    go.set(1.0);
    const auto end = follow(late);
    co_await end;
    co_return runs.load();
  };
  rt::Promise<double> go;
  const rt::Value<double> late = rt::spawn(second(go.value()));
  const auto begin = Clock::now();
  EXPECT_GE(rt::run(first(late, go)), 1);
  EXPECT_LT(Clock::now() - begin, kLong);
  rt::wait_all();
  EXPECT_EQ(runs, 1001);
}

TEST_F(Throttle, ALongTaskBesideThemIsNotWaitedForEither) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "a long task runs at once and alone";
  static std::atomic<bool> let_go;
  let_go = false;
  const auto hold = rt::task("hold").cpu([] {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  hold();
  rt::Promise<double> p;
  for (int i = 0; i < 1000; ++i) follow(p.value());
  let_go = true;  // a throttle that waited for the long task would never come here
  p.set(1.0);
  rt::wait_all();
  EXPECT_EQ(runs, 1000);
}

TEST_F(Throttle, LongTasksKeepItClosed) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "each call ends before the next";
  static std::atomic<bool> let_go;
  let_go = false;
  const auto hold = rt::task("hold").cpu([] {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  std::atomic<int> called{0};
  std::atomic<int> called_before{0};
  std::thread timer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    called_before = called.load();
    let_go = true;
  });
  for (int i = 0; i < 500; ++i) {
    hold();
    ++called;
  }
  timer.join();
  rt::wait_all();
  EXPECT_LE(called_before, kLimit + kPending + 1) << "calls went on although nothing ended";
}

}  // namespace
