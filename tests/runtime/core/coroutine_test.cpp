// Coroutines on the driver thread.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using testing_rt::Vec;

const auto add = rt::task("add").cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; });
const auto half = rt::task("half").cpu([](double x) { return x / 2; }).pure();
const auto broken =
    rt::task("broken").cpu([](int) -> double { throw std::runtime_error("broken"); });

class Coroutines : public RuntimeTest {};

rt::Async<double> inner(double x) {
  const double a = co_await half(x);
  co_return co_await add(rt::value(a), rt::value(1.0));
}

rt::Async<double> outer(int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += co_await inner(i);
  co_return all;
}

TEST_F(Coroutines, AwaitValuesAndEachOther) { EXPECT_EQ(rt::run(outer(100)), 99 * 100 / 4 + 100); }

TEST_F(Coroutines, ManyAtATime) {
  std::vector<rt::Async<double>> bodies;
  for (int i = 0; i < 50; ++i) bodies.push_back(outer(i));
  const std::vector<double> results = rt::run(rt::when_all(std::move(bodies)));
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(results[static_cast<std::size_t>(i)], (i - 1) * i / 4.0 + i);
}

TEST_F(Coroutines, WhenAllRunsSideBySideAndKeepsTheOrder) {
  std::vector<rt::Value<double>> values;
  for (int i = 0; i < 20; ++i) values.push_back(half(i));
  const auto all = rt::run(rt::when_all(values));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i / 2.0);
  const auto [a, b] = rt::run(rt::when_all(half(3), add(rt::value(1.0), rt::value(1.0))));
  EXPECT_EQ(a, 1.5);
  EXPECT_EQ(b, 2);
}

TEST_F(Coroutines, AwaitRethrows) {
  const auto careful = [](int x) -> rt::Async<std::string> {
    try {
      (void)co_await broken(x);
    } catch (const rt::TaskError& e) {
      co_return e.details().reason;
    }
    co_return "nothing";
  };
  EXPECT_EQ(rt::run(careful(1)), "broken");
  const auto careless = [](int x) -> rt::Async<double> { co_return co_await broken(x); };
  EXPECT_THROW(rt::run(careless(1)), rt::TaskError);
}

TEST_F(Coroutines, AnErrorNobodyHearsComesOutOfPoll) {
  rt::spawn([]() -> rt::Async<void> {
    co_await half(1);
    throw std::logic_error("unheard");
  }());
  EXPECT_THROW(
      {
        while (true) {
          rt::poll();
          rt::wait_event(std::chrono::milliseconds(5));
        }
      },
      std::logic_error);
}

TEST_F(Coroutines, BuffersAreAwaitedByName) {
  const auto make = rt::task("make vec").cpu([](int n) {
    return Vec(std::vector<double>(static_cast<std::size_t>(n), 2.0));
  });
  const auto use = [](rt::Value<Vec> v) -> rt::Async<double> {
    const Vec& there = co_await v;
    co_return there.values()[1];
  };
  EXPECT_EQ(rt::run(use(make(3))), 2);
}

TEST_F(Coroutines, AGroupScopeStaysWithItsCoroutine) {
  static std::vector<std::string> failed;
  failed.clear();
  const auto trial = [](std::string name, rt::Value<double> go) -> rt::Async<void> {
    rt::Group group(name);
    const auto scope = group.enter();
    co_await go;
    if (name == "b") group.cancel();
    try {
      (void)co_await add(go, go);
    } catch (const rt::Cancelled&) {
      failed.push_back(name);
    }
    co_await go;
  };
  rt::Promise<double> go;
  const auto a = rt::spawn(trial("a", go.value()));
  const auto b = rt::spawn(trial("b", go.value()));
  const auto c = rt::spawn(trial("c", go.value()));
  go.set(1.0);
  while (rt::poll() != 0 || !a.ready() || !b.ready() || !c.ready())
    rt::wait_event(std::chrono::milliseconds(1));
  EXPECT_EQ(failed, std::vector<std::string>{"b"});
  EXPECT_EQ(add(rt::value(1.0), rt::value(1.0)).get(), 2)
      << "the scope must not leak to the driver";
}

TEST_F(Coroutines, PromisesBridge) {
  rt::Promise<int> asked;
  rt::Promise<int> answered;
  const auto server = [](rt::Promise<int> question, rt::Promise<int> answer) -> rt::Async<void> {
    answer.set(co_await question.value() + 1);
  };
  rt::spawn(server(asked, answered));
  asked.set(41);
  rt::poll();
  EXPECT_EQ(answered.value().get(), 42);
}

TEST_F(Coroutines, UnfinishedOnesAreDestroyedWithTheRuntime) {
  static int destroyed;
  destroyed = 0;
  struct Guard {
    ~Guard() { ++destroyed; }
  };
  rt::Promise<int> never;
  const auto stuck = [](rt::Promise<int> p) -> rt::Async<void> {
    const Guard guard;
    (void)co_await p.value();
  };
  const auto parent = [&stuck](rt::Promise<int> p) -> rt::Async<void> { co_await stuck(p); };
  rt::spawn(parent(never));
  rt::spawn(stuck(never));
  rt::poll();
  EXPECT_EQ(destroyed, 0);
  runtime.reset();
  EXPECT_EQ(destroyed, 2);
}

TEST_F(Coroutines, AnAsyncThatIsDroppedIsHarmless) {
  rt::Promise<int> p;
  {
    const auto waiting = [](rt::Value<int> v) -> rt::Async<int> { co_return co_await v; };
    const auto dropped = waiting(p.value());
  }
  p.set(1);
  EXPECT_EQ(rt::poll(), 0U);
}

rt::Async<int> count(std::vector<rt::Value<double>> values) {
  auto arrivals = rt::as_completed(values);
  int seen = 0;
  while (co_await arrivals.next()) ++seen;
  co_return seen;
}
rt::Async<int> wait_for(rt::Value<double> value) {
  co_await value;
  co_return 1;
}
rt::Async<int> wait_for(std::unique_ptr<rt::Async<int>>& body) {
  co_return co_await std::move(*body);
}
rt::Async<int> drop_after(rt::Value<double> value, std::unique_ptr<rt::Async<int>>& body) {
  co_await value;
  body.reset();
  co_return 0;
}

TEST_F(Coroutines, OneThatWaitsForTheFirstOfSeveralMayBeDropped) {
  const rt::Promise<double> first, second;
  std::unique_ptr<rt::Async<int>> body;
  const auto dropper = rt::spawn(drop_after(first.value(), body));
  body = std::make_unique<rt::Async<int>>(count({second.value()}));
  const auto waiting = rt::spawn(wait_for(body));
  first.set(1.0);
  second.set(2.0);
  rt::poll();
  EXPECT_TRUE(dropper.ready());
  EXPECT_FALSE(waiting.ready());
}

TEST_F(Coroutines, AnAsyncThatWaitsMayOutliveTheRuntime) {
  std::unique_ptr<rt::Async<int>> body;
  {
    const rt::Promise<double> promise;
    body = std::make_unique<rt::Async<int>>(wait_for(promise.value()));
    (void)rt::spawn(wait_for(body));
    promise.set(1.0);
    runtime.reset();
  }
  body.reset();
}

TEST_F(Coroutines, AsCompletedGivesEachOnce) {
  std::vector<rt::Value<double>> values;
  for (int i = 0; i < 20; ++i) values.push_back(half(i));
  std::vector<bool> seen(20);
  for (const std::size_t i : rt::as_completed(values)) {
    EXPECT_FALSE(seen[i]);
    seen[i] = true;
    EXPECT_TRUE(values[i].ready());
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 20);
}

TEST_F(Coroutines, AsCompletedInACoroutine) {
  const auto collect = []() -> rt::Async<double> {
    std::vector<rt::Value<double>> values;
    for (int i = 0; i < 20; ++i) values.push_back(half(i));
    auto arrivals = rt::as_completed(values);
    double all = 0;
    while (const auto i = co_await arrivals.next()) all += values[*i].get();
    co_return all;
  };
  EXPECT_EQ(rt::run(collect()), 95);
}

TEST_F(Coroutines, WaitEventSleepsUntilTheTimeOutOrAWakeUp) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(rt::wait_event(std::chrono::milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
  std::thread waker([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rt::wake();
  });
  EXPECT_TRUE(rt::wait_event(std::chrono::seconds(20)));
  waker.join();
  rt::wake();
  (void)half(1).get();
  EXPECT_TRUE(rt::wait_event(std::chrono::seconds(20)))
      << "a wake-up must not get lost in another wait";
}

TEST_F(Coroutines, AwaitDemandsNothingElse) {
  static std::atomic<int> runs;
  runs = 0;
  const auto counted = rt::task("counted")
                           .cpu([](int x) {
                             ++runs;
                             return x;
                           })
                           .pure();
  const rt::Value<int> unasked = counted(1);
  const rt::Value<int> asked = counted(2);
  EXPECT_EQ(rt::run([](rt::Value<int> v) -> rt::Async<int> { co_return co_await v; }(asked)), 2);
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(unasked.ready());
}

}  // namespace
