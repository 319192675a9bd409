// Task::packs: calls that run as one, each with its own result, failure and end.
#include <atomic>
#include <fstream>
#include <iterator>
#include <regex>
#include <thread>

#include "tests/runtime/core/support.h"
#include "tests/support/temp_folder.h"

namespace {

using testing_rt::copy_of;
using testing_rt::parallel;
using testing_rt::Vec;
using testing_rt::workers;

class Packs : public testing_rt::RuntimeTest {
 protected:
  /// Whether calls can meet: somebody must wait for a worker.
  [[nodiscard]] std::uint64_t packed() const { return runtime->summary().packed; }
};

constexpr double kLong = 20;  // seconds

bool wait_for(const std::atomic<int>& number, int value) {
  const base::Moment begin = base::now();
  while (number != value && base::seconds_since(begin) < kLong) std::this_thread::yield();
  return number == value;
}

/// Keeps workers until the test has handed over what it wants them to find.
std::atomic<int> held, open_gates, passed;
const auto hold = rt::task("hold", 1).cpu([](int gate) -> int {
  ++held;
  const base::Moment begin = base::now();
  while (open_gates <= gate && base::seconds_since(begin) < kLong) std::this_thread::yield();
  ++passed;
  return 0;
});

class Held {
 public:
  Held() {
    held = open_gates = passed = 0;
    for (int i = 0; parallel() && i < workers(); ++i) hold(i).demand();
    EXPECT_TRUE(!parallel() || wait_for(held, workers()));
  }
  static void open(int gates) { open_gates = gates; }
  /// Who is behind a gate has seen it open: the next ones may be closed.
  ~Held() {
    open_gates = workers();
    EXPECT_TRUE(!parallel() || wait_for(passed, workers()));
  }
};

std::atomic<int> packs, largest, given_back, gone_on;

using Calls = rt::Pack<double(rt::inout<Vec>, rt::in<double>, int, double)>;

/// Adds to all numbers `steps` times, a step of each call in turn; in the end the first number is
/// the result. Failing: below 0, before anything.
struct AddInTurn {
  void operator()(rt::Context&, Calls& calls) const {
    ++packs;
    largest = std::max(largest.load(), calls.size());
    std::vector<int> next(static_cast<std::size_t>(calls.size()));
    int left = calls.size();
    for (int i = 0; i < calls.size(); ++i) {
      const std::any& progress = calls.progress(i);
      if (!progress.has_value()) continue;
      next[static_cast<std::size_t>(i)] = std::any_cast<int>(progress);
      ++gone_on;
    }
    while (left > 0) {
      for (int i = 0; i < calls.size(); ++i) {
        int& step = next[static_cast<std::size_t>(i)];
        if (step >= 0 && !one(calls, i, step)) step = -1, --left;
      }
    }
  }

 private:
  static bool one(Calls& calls, int call, int& step) {
    if (calls.is_wanted(call)) {
      ++given_back;
      calls.give_back(call, step);
      return false;
    }
    return calls.arguments(call, [&](rt::inout<Vec> v, rt::in<double> more, int steps, double by) {
      if (by < 0) {
        calls.fail(call, std::make_exception_ptr(std::runtime_error("below 0")));
      } else if (step == steps || calls.stop_requested(call)) {
        calls.finish(call, v->values()[0]);
      } else {
        for (double& x : v->values()) x += by + *more;
        ++step;
        return true;
      }
      return false;
    });
  }
};

struct SameLength {
  rt::PackFit operator()(rt::inout<Vec> v, rt::in<double>, int, double) const {
    return {v->values().size(), 8};
  }
};

const auto add =
    rt::task("add in turn", 1)
        .cpu([](rt::inout<Vec> v, rt::in<double> more, int steps, double by) -> double {
          if (by < 0) throw std::runtime_error("below 0");
          for (int step = 0; step < steps; ++step)
            for (double& x : v->values()) x += by + *more;
          return v->values()[0];
        })
        .packs(SameLength{}, AddInTurn{});

struct Added {
  rt::Value<Vec> vec;
  rt::Value<double> first;
};

template <class T>
rt::Value<T> demanded(rt::Value<T> value) {
  value.demand();
  return value;
}

std::vector<Added> call(int count, int steps, const rt::Value<double>& more,
                        std::size_t length = 8) {
  std::vector<Added> all;
  for (int i = 0; i < count; ++i) {
    Added one{rt::value(Vec(std::vector<double>(length, i))), {}};
    one.first = demanded(add(one.vec, more, steps, 1.0 + i));
    all.push_back(std::move(one));
  }
  return all;
}

void expect_sums(const std::vector<Added>& all, int steps, double more) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    double x = static_cast<double>(i);
    for (int step = 0; step < steps; ++step) x += 1.0 + static_cast<double>(i) + more;
    EXPECT_EQ(all[i].first.get(), x) << i;
    const Vec& vec = all[i].vec.get();
    EXPECT_EQ(copy_of(vec), std::vector<double>(vec.values().size(), x)) << i;
  }
}

TEST_F(Packs, WhoWaitsForAWorkerIsTakenAlong) {
  packs = largest = 0;
  const rt::Value<double> more = rt::value(0.5);
  std::vector<Added> all;
  {
    const Held gate;
    all = call(16, 100, more);
  }
  expect_sums(all, 100, 0.5);
  EXPECT_EQ(packed() > 0, parallel());
  EXPECT_LE(largest, parallel() ? std::min(8, 16 / workers()) : 0);
}

TEST_F(Packs, OthersAreNot) {
  packs = largest = 0;
  const rt::Value<double> more = rt::value(0.5);
  std::vector<Added> all;
  std::vector<rt::Value<Vec>> kept;
  {
    const Held gate;
    for (std::size_t length = 1; length <= 8; ++length) {
      std::vector<Added> one = call(1, 10, more, length);  // of lengths of their own
      all.push_back(std::move(one[0]));
    }
    for (int i = 0; i < 4; ++i) {  // and one that has to be copied first
      kept.push_back(rt::value(Vec(std::vector<double>(8, 3))));
      rt::Value<Vec> changed = kept.back();
      add(changed, more, 10, 1.0).demand();
    }
  }
  for (const Added& one : all) EXPECT_EQ(one.first.get(), 15);
  for (const auto& vec : kept) EXPECT_EQ(copy_of(vec.get()), std::vector<double>(8, 3));
  rt::wait_all();
  EXPECT_EQ(packs, 0);
  EXPECT_EQ(packed(), 0U);
}

TEST_F(Packs, EachFailsByItself) {
  const rt::Value<double> more = rt::value(0.0);
  std::vector<Added> all;
  rt::Value<Vec> bad = rt::value(Vec(std::vector<double>(8, 7)));
  rt::Value<double> failed;
  {
    const Held gate;
    all = call(3, 10, more);
    failed = demanded(add(bad, more, 10, -1.0));
    std::vector<Added> rest = call(3, 10, more);
    Held::open(workers());
    expect_sums(rest, 10, 0);
  }
  expect_sums(all, 10, 0);
  try {
    (void)failed.get();
    FAIL() << "a call that failed has a result";
  } catch (const rt::TaskError& error) {
    EXPECT_NE(std::string(error.what()).find("below 0"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("-1"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)bad.get(), rt::TaskError);
}

TEST_F(Packs, AWorkerThatComesFreeGetsOneBack) {
  if (workers() < 2) return;
  given_back = gone_on = 0;
  const rt::Value<double> more = rt::value(0.25);
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds && gone_on == 0; ++round) {
    // On a busy machine the other worker comes late: longer and longer work waits for it.
    const int steps = 200'000 << std::min(round / 4, 4);
    std::vector<Added> all;
    packs = 0;
    {
      const Held gate;
      all = call(2 * workers(), steps, more);
      Held::open(1);  // the first takes its share along, and the others find it at work
      const base::Moment begin = base::now();
      while (packs == 0 && base::seconds_since(begin) < kLong) std::this_thread::yield();
    }
    expect_sums(all, steps, 0.25);
    EXPECT_EQ(given_back, gone_on);
  }
  EXPECT_GT(gone_on, 0);
}

TEST_F(Packs, ACancelledGroupTakesItsCallsOut) {
  const rt::Value<double> more = rt::value(0.0);
  std::vector<Added> all;
  rt::Group group("dropped");
  rt::Value<Vec> vec = rt::value(Vec(std::vector<double>(8, 1)));
  rt::Value<double> dropped;
  {
    const Held gate;
    all = call(3, 10, more);
    {
      const auto inside = group.enter();
      dropped = demanded(add(vec, more, 10, 1.0));
    }
    group.cancel();
  }
  expect_sums(all, 10, 0);
  if (parallel())
    EXPECT_THROW((void)dropped.get(), rt::Cancelled);
  else
    EXPECT_EQ(dropped.get(), 11);  // had run when the group was cancelled
}

TEST_F(Packs, TheTraceSaysHowManyRanAsOne) {
  const support::TempFolder folder;
  rt::Config c = testing_rt::config();
  c.trace_file = folder / "trace.json";
  start(c);
  {
    const rt::Value<double> more = rt::value(0.0);
    std::vector<Added> all;
    {
      const Held gate;
      all = call(8 * workers(), 10, more);  // some remain when a worker wants one back
    }
    expect_sums(all, 10, 0);
  }
  runtime.reset();
  std::ifstream in(c.trace_file);
  const std::string trace{std::istreambuf_iterator<char>(in), {}};
  const bool several = std::regex_search(trace, std::regex("\"pack\": \"([2-9]|[1-9][0-9]+)\""));
  EXPECT_EQ(several, parallel()) << trace.substr(0, 500);
}

struct Forgets {
  void operator()(rt::Context&, rt::Pack<int(int)>& calls) const {
    calls.finish(0, 1);
    if (calls.arguments(0, [](int way) { return way; }) == 1) throw std::runtime_error("all lost");
  }
};
struct ByTheWay {
  rt::PackFit operator()(int way) const { return {static_cast<std::uint64_t>(way), 2}; }
};
const auto forget = rt::task("forget", 1).cpu([](int) { return 1; }).packs(ByTheWay{}, Forgets{});

TEST_F(Packs, WhatABodyLeavesOpenHasFailed) {
  for (const int way : {1, 2}) {
    const std::uint64_t before = packed();
    std::vector<rt::Value<int>> all;
    {
      const Held gate;
      for (int i = 0; i < 2 * workers(); ++i) all.push_back(demanded(forget(way)));
    }
    std::uint64_t failed = 0;
    for (const auto& one : all) {
      try {
        EXPECT_EQ(one.get(), 1);
      } catch (const rt::TaskError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find(way == 1 ? "all lost" : "left a call open"), std::string::npos) << text;
        ++failed;
      }
    }
    rt::wait_all();
    EXPECT_EQ(failed, packed() - before);
    EXPECT_EQ(failed > 0, parallel());
  }
}

}  // namespace
