// Groups: cancelling, stop tokens, nesting, waiting.
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/core/group_state.h"
#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

const auto pass = rt::task("pass").cpu([](rt::in<double> x) { return *x; });

class Groups : public RuntimeTest {};

TEST_F(Groups, QueuedTasksOfACancelledGroupNeverRun) {
  static std::atomic<int> runs;
  runs = 0;
  const auto work = rt::task("work").cpu([](rt::in<double>) { ++runs; });
  rt::Promise<double> start;
  rt::Group group("group");
  std::vector<rt::Value<void>> inside;
  rt::Value<void> outside = work(start.value());
  {
    const auto scope = group.enter();
    for (int i = 0; i < 10; ++i) inside.push_back(work(start.value()));
  }
  inside.back().demand();
  group.cancel();
  start.set(1.0);
  rt::wait_all();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(outside.state(), rt::State::ready);
  for (const auto& v : inside) EXPECT_EQ(v.state(), rt::State::cancelled);
  EXPECT_THROW(inside.front().get(), rt::Cancelled);
  EXPECT_TRUE(group.cancelled());
}

TEST_F(Groups, WhatWasDoneStaysDone) {
  rt::Group group("group");
  const auto scope = group.enter();
  const rt::Value<double> done = pass(rt::value(2.0));
  EXPECT_EQ(done.get(), 2);
  group.cancel();
  EXPECT_EQ(done.get(), 2);
  EXPECT_THROW(pass(done).get(), rt::Cancelled);
}

TEST_F(Groups, TellHowLongTheirTasksRan) {
  const auto sleep = rt::task("sleep").cpu([](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  });
  rt::Group outer("outer"), other("other");
  const auto in_outer = outer.enter();
  rt::Group inner("inner");
  EXPECT_EQ(inner.busy(), base::Duration::zero());
  {
    const auto scope = inner.enter();
    sleep(20).get();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(inner.running());
  const base::Duration busy = inner.busy();
  EXPECT_GE(busy, std::chrono::milliseconds(20));
  EXPECT_EQ(outer.busy(), busy);
  EXPECT_EQ(other.busy(), base::Duration::zero());
  sleep(20).get();
  EXPECT_EQ(inner.busy(), busy);
  EXPECT_GE(outer.busy(), busy + std::chrono::milliseconds(20));
}

TEST_F(Groups, RunningBodiesSeeTheStop) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "needs a task that runs while the driver goes on";
  static std::atomic<bool> started;
  started = false;
  const auto patient = rt::task("patient").cpu([](rt::Context& c) {
    started = true;
    const std::stop_token token = c.stop_token();
    while (!c.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // The token follows a moment later.
    while (!token.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
  });
  rt::Group group("group");
  rt::Value<int> v;
  {
    const auto scope = group.enter();
    v = patient();
  }
  v.demand();
  while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  group.cancel();
  EXPECT_EQ(v.get(), 1) << "a body that returns after the stop has done its task";
  EXPECT_TRUE(group.stop_token().stop_requested());
}

TEST_F(Groups, ABodyThatThrowsAfterTheStopEndsAsCancelled) {
  if (!testing_rt::parallel()) GTEST_SKIP() << "needs a task that runs while the driver goes on";
  const auto patient = rt::task("patient").cpu([](rt::Context& c) {
    while (!c.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw std::runtime_error("stopped");
  });
  rt::Group group("group");
  rt::Value<void> v;
  {
    const auto scope = group.enter();
    v = patient();
  }
  v.demand();
  group.cancel();
  EXPECT_THROW(v.get(), rt::Cancelled);
}

TEST_F(Groups, NestedGroupsAreCancelledFromOutsideIn) {
  rt::Group outer("outer");
  const auto outer_scope = outer.enter();
  rt::Group inner("inner");
  rt::Group sibling("sibling");
  EXPECT_EQ(inner.path(), "outer/inner");
  inner.cancel();
  EXPECT_FALSE(outer.cancelled());
  EXPECT_FALSE(sibling.cancelled());
  outer.cancel();
  EXPECT_TRUE(sibling.cancelled());
  rt::Group late("late");
  EXPECT_TRUE(late.cancelled());
}

TEST_F(Groups, WaitWaitsForThoseInsideToo) {
  static std::atomic<int> runs;
  runs = 0;
  const auto work = rt::task("work").cpu([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++runs;
  });
  rt::Group outer("outer");
  {
    const auto a = outer.enter();
    for (int i = 0; i < 5; ++i) work();
    rt::Group inner("inner");
    const auto b = inner.enter();
    for (int i = 0; i < 5; ++i) work();
  }
  outer.wait();
  EXPECT_EQ(runs, 10);
}

TEST_F(Groups, WaitWaitsForPureCallsWithoutAKeyYet) {
  static const auto slow = rt::task("slow").cpu([](double x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return x;
  });
  static const auto twice = rt::task("twice").cpu([](rt::in<double> x) { return *x * 2; }).pure();
  const rt::Value<double> x = slow(2.0);
  const rt::Group group("inner");
  rt::Value<double> y;
  {
    const auto scope = group.enter();
    y = twice(x);
  }
  group.wait();
  EXPECT_EQ(y.state(), rt::State::ready);
}

TEST_F(Groups, WaitWaitsForCallsThatAreAnsweredByOthers) {
  static const auto slow = rt::task("slow pure")
                               .cpu([](double x) {
                                 std::this_thread::sleep_for(std::chrono::milliseconds(30));
                                 return x;
                               })
                               .pure();
  const rt::Value<double> x = slow(2.0);
  x.demand();
  const rt::Group group("inner");
  rt::Value<double> y;
  {
    const auto scope = group.enter();
    y = slow(2.0);
  }
  group.wait();
  EXPECT_EQ(y.state(), rt::State::ready);
}

TEST_F(Groups, OutliveTheirHandlesInWaitingCoroutines) {
  static const auto body = [](rt::Value<double> first) -> rt::Async<double> {
    const double x = co_await first;
    const rt::Value<double> y = pass(rt::value(x));
    co_return co_await y;
  };
  const rt::Promise<double> promise;
  rt::Value<double> result;
  {
    const rt::Group group("one");
    const auto scope = group.enter();
    result = rt::spawn(body(promise.value()));
  }
  const rt::Group other("other");
  other.cancel();
  promise.set(3.0);
  while (!result.ready()) {
    rt::poll();
    rt::wait_event(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(result.get(), 3);
}

TEST_F(Groups, WaitRethrowsAFailure) {
  const auto fatal =
      rt::task("fatal").cpu([] { throw std::runtime_error("stop"); }).on_failure(rt::fail);
  rt::Group group("group");
  {
    const auto scope = group.enter();
    fatal();
  }
  EXPECT_THROW(group.wait(), rt::TaskError);
  EXPECT_TRUE(group.cancelled());
  EXPECT_THROW(rt::wait_all(), rt::TaskError);
}

TEST_F(Groups, ManyGroupsLeaveNothingBehind) {
  for (int i = 0; i < 2000; ++i) {
    rt::Group group("g");
    const auto scope = group.enter();
    pass(rt::value(1.0));
    if (i % 3 == 0) group.cancel();
  }
  rt::wait_all();
  EXPECT_EQ(runtime->summary().tasks, 2000U);
}

TEST_F(Groups, BodiesOnOtherNodesCountOnceWhereTheyOverlap) {
  using std::chrono::seconds;
  rt::detail::GroupState root("", nullptr);
  rt::detail::GroupState outer("outer", &root), inner("inner", &outer);
  const base::Moment at{};
  inner.body_ran(seconds(5), at + seconds(10));
  outer.body_ran(seconds(4), at + seconds(12));
  inner.body_ran(seconds(1), at + seconds(20));
  EXPECT_EQ(inner.busy, seconds(6));
  EXPECT_EQ(outer.busy, seconds(8)) << "5 to 12, and 19 to 20";
}

}  // namespace
