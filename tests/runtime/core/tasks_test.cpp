// Calls and values: what a body sees, what a caller gets, and what is refused.
#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

struct Point {
  double x = 0;
  double y = 0;
};

const auto add = rt::task("add").cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; });
const auto twice = rt::task("twice").cpu([](rt::inout<double> x) { *x *= 2; });
const auto make_point = rt::task("point").cpu([](double x, double y) { return Point{x, y}; });
const auto split = rt::task("split").cpu([](rt::in<Point> p, rt::out<double> x, rt::out<double> y) {
  *x = p->x;
  *y = p->y;
  return std::string("done");
});

class Tasks : public RuntimeTest {};

TEST_F(Tasks, ResultsAreValues) {
  rt::Value<double> one = rt::value(1.0);
  rt::Value<double> three = add(one, rt::value(2.0));
  EXPECT_EQ(add(three, three).get(), 6);
  EXPECT_EQ(three.get(), 3);
  EXPECT_TRUE(three.ready());
}

TEST_F(Tasks, ConstantsAndStructsTravel) { EXPECT_EQ(make_point(3, 4).get().y, 4); }

TEST_F(Tasks, OutArgumentsNameNewVersions) {
  rt::Value<double> x;
  rt::Value<double> y = rt::value(99.0);
  const rt::Value<double> before = y;
  const rt::Value<std::string> word = split(make_point(3, 4), x, y);
  EXPECT_EQ(word.get(), "done");
  EXPECT_EQ(x.get(), 3);
  EXPECT_EQ(y.get(), 4);
  EXPECT_EQ(before.get(), 99);
}

TEST_F(Tasks, InoutMovesTheHandleOnAndLeavesCopiesAlone) {
  rt::Value<double> v = rt::value(1.0);
  const rt::Value<double> old = v;
  twice(v);
  const rt::Value<double> middle = v;
  twice(v);
  EXPECT_EQ(v.get(), 4);
  EXPECT_EQ(middle.get(), 2);
  EXPECT_EQ(old.get(), 1);
}

TEST_F(Tasks, SameValueReadAndWritten) {
  const auto fold =
      rt::task("fold").cpu([](rt::in<double> a, rt::inout<double> b) { *b += *a * 10; });
  rt::Value<double> v = rt::value(1.0);
  fold(v, v);
  EXPECT_EQ(v.get(), 11);
}

TEST_F(Tasks, VoidTasksCanBeWaitedFor) {
  static std::atomic<int> runs;
  runs = 0;
  const auto work = rt::task("work").cpu([] { ++runs; });
  std::vector<rt::Value<void>> ends;
  for (int i = 0; i < 100; ++i) ends.push_back(work());
  for (const auto& end : ends) end.get();
  EXPECT_EQ(runs, 100);
}

TEST_F(Tasks, TasksThatAreNotPureRunWithoutBeingAskedFor) {
  static std::atomic<int> runs;
  runs = 0;
  const auto work = rt::task("work").cpu([] { ++runs; });
  for (int i = 0; i < 1000; ++i) work();
  rt::wait_all();
  EXPECT_EQ(runs, 1000);
}

TEST_F(Tasks, ManyDependentTasksInOrder) {
  const auto push =
      rt::task("push").cpu([](rt::inout<std::vector<int>> v, int i) { v->push_back(i); });
  rt::Value<std::vector<int>> v = rt::value(std::vector<int>{});
  for (int i = 0; i < 2000; ++i) push(v, i);
  std::vector<int> expected(2000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(v.get(), expected);
}

TEST_F(Tasks, ContextTellsWorkerAttemptAndKeepsLocals) {
  struct Counter {
    int n = 0;
  };
  const auto count = rt::task("count").cpu([](rt::Context& c) {
    EXPECT_EQ(c.attempt(), 1);
    EXPECT_EQ(c.cpus(), 1);
    EXPECT_FALSE(c.stop_requested());
    EXPECT_EQ(c.stream(), nullptr);
    EXPECT_EQ(c.worker().kind, rt::Device::cpu);
    return std::pair(c.worker().index, ++c.local<Counter>().n);
  });
  std::vector<rt::Value<std::pair<int, int>>> seen;
  for (int i = 0; i < 50; ++i) seen.push_back(count());
  std::set<std::pair<int, int>> all;
  for (const auto& s : seen) {
    EXPECT_LT(s.get().first, testing_rt::workers());
    all.insert(s.get());
  }
  EXPECT_EQ(all.size(), 50U) << "a worker's own object must count each of its tasks once";
}

TEST_F(Tasks, WorkerHooksRanInEveryWorker) {
  static thread_local int hooked = 0;
  rt::on_worker_start([] { ++hooked; });
  const auto look = rt::task("look").cpu([] { return hooked; });
  std::vector<rt::Value<int>> seen;
  for (int i = 0; i < 50; ++i) seen.push_back(look());
  for (const auto& s : seen) EXPECT_EQ(s.get(), 1);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

TEST_F(Tasks, WaitingInsideABodyIsAnError) {
  static rt::Value<double> hidden;
  hidden = add(rt::value(1.0), rt::value(1.0));
  const auto greedy = rt::task("greedy").cpu([] { return hidden.get(); });
  const rt::Value<double> v = greedy();
  const std::string text = message_of([&] { v.get(); });
  EXPECT_NE(text.find("get() inside the body of task 'greedy'"), std::string::npos) << text;
  hidden = {};
}

TEST_F(Tasks, CallingInsideABodyIsAnError) {
  const auto outer =
      rt::task("outer").cpu([] { twice(*std::make_unique<rt::Value<double>>(rt::value(1.0))); });
  const rt::Value<void> v = outer();
  EXPECT_NE(message_of([&] { v.get(); }).find("calling task 'twice' inside the body"),
            std::string::npos);
}

TEST_F(Tasks, EmptyValuesAreRefusedByName) {
  rt::Value<double> nothing;
  const std::string text = message_of([&] { add(rt::value(1.0), nothing); });
  EXPECT_NE(text.find("task 'add': argument 2 is an empty Value"), std::string::npos) << text;
  EXPECT_THROW(nothing.get(), base::Error);
}

TEST_F(Tasks, OtherThreadsMayNotCall) {
  std::string text;
  std::thread([&] { text = message_of([] { make_point(1, 2); }); }).join();
  EXPECT_NE(text.find("on another thread"), std::string::npos) << text;
}

TEST_F(Tasks, NeedsThatCanNeverBeMetAreErrorsAtTheCall) {
  const auto wide = rt::task("wide").cpu([] {}).needs({.cpus = 1000});
  const auto large = rt::task("large").cpu([] {}).needs({.memory = rt::ByteCount{1ULL << 60}});
  const auto gpu = rt::task("gpu").cpu([] {}).cuda([] {}).needs({.gpus = 1});
  const auto by_size = rt::task("by size").cpu([](int) {}).needs([](const int& n) {
    return rt::Resources{.cpus = n};
  });
  EXPECT_NE(message_of([&] { wide(); }).find("task 'wide' needs 1000 cpus, but there "),
            std::string::npos);
  EXPECT_NE(message_of([&] { large(); }).find("task 'large' needs 1.0 EiB of memory"),
            std::string::npos)
      << message_of([&] { large(); });
  EXPECT_NE(message_of([&] { gpu(); }).find("task 'gpu' needs a gpu"), std::string::npos);
  EXPECT_NE(message_of([&] { by_size(70000); }).find("needs 70000 cpus"), std::string::npos);
  EXPECT_NO_THROW(by_size(1));
  try {
    wide();
  } catch (const base::Error& e) {
    EXPECT_EQ(e.kind(), base::Errc::no_device);
  }
}

TEST_F(Tasks, ARefusedCallLeavesItsArguments) {
  const auto wide = rt::task("wide").cpu([](rt::inout<double> x) { *x = 0; }).needs({.cpus = 1000});
  rt::Value<double> v = rt::value(5.0);
  EXPECT_THROW(wide(v), base::Error);
  EXPECT_EQ(v.get(), 5);
}

TEST_F(Tasks, OnlyOneRuntimeAtATime) {
  EXPECT_THROW(rt::Runtime{testing_rt::config()}, base::Error);
}

TEST_F(Tasks, ValuesOutliveTheRuntime) {
  rt::Value<double> sum = add(rt::value(1.0), rt::value(2.0));
  rt::Value<testing_rt::Vec> buffer = rt::value(testing_rt::Vec(std::vector<double>{1, 2}));
  const auto scale = rt::task("scale").cpu([](rt::inout<testing_rt::Vec> v) {
    for (double& x : v->values()) x *= 3;
  });
  scale(buffer);
  runtime.reset();
  EXPECT_EQ(sum.get(), 3);
  EXPECT_EQ(testing_rt::copy_of(buffer.get()), (std::vector<double>{3, 6}));
  EXPECT_THROW(add(sum, sum), base::Error);
}

TEST(WithoutRuntime, CallsSayWhatIsMissing) {
  const std::string text = message_of([] { make_point(1, 2); });
  EXPECT_NE(text.find("needs a rt::Runtime"), std::string::npos) << text;
  EXPECT_EQ(rt::worker_count(), 0);
}

}  // namespace
