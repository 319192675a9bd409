// Keys, merging and the store: what runs, what runs once, and what does not run at all.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using testing_rt::Vec;

std::atomic<int> makes;
std::atomic<int> steps;
std::atomic<int> scores;

const auto make = rt::task("make", 1)
                      .cpu([](int seed) {
                        ++makes;
                        return Vec(std::vector<double>{static_cast<double>(seed), 0});
                      })
                      .pure();
const auto step = rt::task("step", 1)
                      .cpu([](rt::inout<Vec> v, double by) {
                        ++steps;
                        v->values()[0] += by;
                        return v->values()[0] * 2;
                      })
                      .pure();
const auto score = rt::task("score", 1)
                       .cpu([](rt::in<Vec> v) {
                         ++scores;
                         return v->values()[0];
                       })
                       .pure();
const auto noise = rt::task("noise", 1).cpu([] { return 5.0; });
const auto square = rt::task("square", 1).cpu([](rt::in<double> x) { return *x * *x; }).pure();

class Pure : public RuntimeTest {
 protected:
  void SetUp() override {
    makes = steps = scores = 0;
    RuntimeTest::SetUp();
  }
  void with_store(std::shared_ptr<rt::Store> store) {
    rt::Config c = testing_rt::config();
    c.store = std::move(store);
    start(c);
  }
  static double trial(int seed, int length) {
    rt::Value<Vec> v = make(seed);
    for (int i = 0; i < length; ++i) step(v, 1);
    return score(v).get();
  }
};

struct Counted {
  static inline std::atomic<int> alive{0};
  double x = 0;
  explicit Counted(double content = 0) : x(content) { ++alive; }
  Counted(const Counted& other) : x(other.x) { ++alive; }
  Counted(Counted&& other) noexcept : x(other.x) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  template <class A>
  void fields(A& a) {
    a(x);
  }
};

TEST_F(Pure, AChainThatWasMergedKeepsNoOldVersions) {
  static const auto more = rt::task("more", 1)
                               .cpu([](rt::inout<Counted> c, int by) {
                                 c->x += by;
                                 return c->x;
                               })
                               .pure();
  static const auto chain = []() -> rt::Async<double> {
    rt::Value<Counted> c = rt::value(Counted(1));
    double last = 0;
    for (int i = 0; i < 30; ++i) {
      const rt::Value<double> now = more(c, i);
      c.demand();
      last = co_await now;
    }
    EXPECT_LE(Counted::alive.load(), 8);
    co_return last;
  };
  const auto first = rt::spawn(chain()), second = rt::spawn(chain());
  while (!first.ready() || !second.ready()) {
    rt::poll();
    rt::wait_event(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(first.get(), second.get());
}

TEST_F(Pure, NothingRunsThatNobodyAsksFor) {
  {
    rt::Value<Vec> v = make(1);
    step(v, 1);
    score(v);
  }
  rt::wait_all();
  EXPECT_EQ(makes + steps + scores, 0);
}

TEST_F(Pure, WaitAllAsksForWhatIsStillNamed) {
  rt::Value<Vec> v = make(1);
  step(v, 1);
  rt::wait_all();
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(v.ready());
}

TEST_F(Pure, DroppingAVeryLongChainDoesNotExhaustTheStack) {
  rt::Value<Vec> v = make(1);
  for (int i = 0; i < 200000; ++i) step(v, 1);
  v = {};
  rt::wait_all();
  EXPECT_EQ(steps, 0);
}

TEST_F(Pure, AskingForAVeryLongChainDoesNotExhaustTheStack) {
  EXPECT_EQ(trial(0, 20000), 20000);
  EXPECT_EQ(steps, 20000);
}

TEST_F(Pure, EqualCallsRunOnceWhileTheirValuesLive) {
  const rt::Value<Vec> a = make(1);
  const rt::Value<Vec> b = make(1);
  const rt::Value<Vec> c = make(2);
  EXPECT_EQ(a.key(), b.key());
  EXPECT_NE(a.key(), c.key());
  a.get();
  b.get();
  c.get();
  EXPECT_EQ(makes, 2);
  EXPECT_EQ(runtime->summary().merged, 1U);
}

TEST_F(Pure, AValueThatNobodyHeldWhenItWasMadeAnswersNobody) {
  EXPECT_EQ(trial(1, 1), 2);
  std::vector<rt::Value<double>> others;  // which lie where that one lay
  for (int i = 0; i < 100; ++i) others.push_back(rt::value(99.0));
  rt::Value<Vec> v = make(1);
  const rt::Value<double> twice = step(v, 1);
  EXPECT_EQ(twice.get(), 4);
}

std::atomic<bool> breaks_off;
const auto add_one = rt::task("add one", 1)
                         .cpu([](rt::inout<Vec> v) {
                           for (double& x : v->values()) {
                             x += 1;
                             if (breaks_off) throw std::runtime_error("broken off");
                           }
                           return 1.0;
                         })
                         .pure();

TEST_F(Pure, AnAnswerStaysWhatItIsWhileItsTaskRunsForAnotherOutput) {
  rt::Config c = testing_rt::config();
  c.store = std::make_shared<rt::Store>();
  c.worth_keeping = [](double, std::size_t bytes) { return bytes >= 800; };
  start(c);
  const auto added = [](rt::Value<Vec>& v) {
    v = rt::value(Vec(std::vector<double>(100, 0)));
    return add_one(v);
  };
  rt::Value<Vec> v;
  breaks_off = false;
  added(v).get();
  v.get();
  const rt::Value<double> again = added(v);
  EXPECT_EQ(v.get().values()[50], 1) << "from the store";
  breaks_off = true;
  EXPECT_THROW((void)again.get(), base::Error);
  EXPECT_EQ(v.get().values()[50], 1);
}

TEST_F(Pure, SharedPrefixesRunOnceAndPartsDoNotDisturbEachOther) {
  std::vector<rt::Value<double>> ends;
  for (int t = 0; t < 4; ++t) {
    rt::Value<Vec> v = make(1);
    for (int i = 0; i < 5; ++i) step(v, 1);
    step(v, 10 * t);
    ends.push_back(score(v));
  }
  for (int t = 0; t < 4; ++t) EXPECT_EQ(ends[static_cast<std::size_t>(t)].get(), 6 + 10 * t);
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(steps, 5 + 4);
}

TEST_F(Pure, KeysNameConstantsVersionsInputsAndFingerprint) {
  const auto other =
      rt::task("make", 2).cpu([](int) { return Vec(std::vector<double>{1}); }).pure();
  const base::Key before = make(1).key();
  EXPECT_EQ(before, make(1).key());
  EXPECT_NE(before, make(2).key());
  EXPECT_NE(before, other(1).key());
  rt::set_fingerprint("another machine");
  EXPECT_NE(before, make(1).key());
  rt::set_fingerprint("");
  EXPECT_EQ(before, make(1).key());
  EXPECT_NE(square(rt::value(1.0)).key(), square(rt::value(2.0)).key());
  EXPECT_EQ(square(rt::value(1.0)).key(), square(rt::value(1.0)).key());
}

TEST_F(Pure, GivenValuesAreNamedByContent) {
  EXPECT_EQ(rt::value(1.5).key(), rt::value(1.5).key());
  EXPECT_EQ(rt::value(1.5).key(), rt::key_of(1.5));
  EXPECT_NE(rt::value(Vec(std::vector<double>{1})).key(),
            rt::value(Vec(std::vector<double>{2})).key());
}

TEST_F(Pure, ResultsOfOtherTasksAreNamedByContentOnceThere) {
  const rt::Value<double> a = square(noise());
  const rt::Value<double> b = square(rt::value(5.0));
  EXPECT_EQ(a.get(), 25);
  EXPECT_EQ(b.get(), 25);
  EXPECT_EQ(a.key(), b.key());
}

TEST_F(Pure, TwoPureTasksOfOneNameAreRefused) {
  const auto impostor =
      rt::task("make", 1).cpu([](int) { return Vec(std::vector<double>{9}); }).pure();
  make(1);
  EXPECT_THROW(impostor(1), base::Error);
}

TEST_F(Pure, TheStoreAnswersWithoutRunningAncestors) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  EXPECT_EQ(trial(1, 3), 4);
  EXPECT_EQ(makes + steps + scores, 5);
  with_store(store);
  EXPECT_EQ(trial(1, 3), 4);
  EXPECT_EQ(makes + steps + scores, 5) << "a second runtime must find the answer";
  EXPECT_EQ(runtime->summary().stored, 1U);
}

TEST_F(Pure, WhatAnotherArithmeticMadeIsFoundByItsKey) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  rt::Value<Vec> v = make(1);
  step(v, 1);
  const base::Key key = v.key();
  EXPECT_FALSE(rt::stored<Vec>(key)) << "nobody asked for it yet";
  EXPECT_EQ(v.get().values()[0], 2);
  v = {};
  with_store(store);
  rt::set_fingerprint("another machine");
  std::optional<rt::Value<Vec>> found = rt::stored<Vec>(key);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ready());
  EXPECT_EQ(found->key(), key);
  step(*found, 1);
  EXPECT_NE(found->key(), key);
  EXPECT_EQ(found->get().values()[0], 3);
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(steps, 2);
  EXPECT_EQ(rt::stored<Vec>(key)->get().values()[0], 2) << "the entry stays as it was";
  EXPECT_FALSE(rt::stored<Vec>(rt::key_of(0)));
  rt::set_fingerprint("");
}

TEST_F(Pure, AnEntryOfAnotherTypeIsNotFoundAndDropped) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  const base::Key key = rt::key_of(7);
  store->insert(key, rt::encode(std::string("no vector")));
  EXPECT_FALSE(rt::stored<Vec>(key));
  EXPECT_FALSE(store->contains(key));
}

TEST_F(Pure, ALongerTrialGoesOnFromTheLastStoredVersion) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  trial(1, 3);
  with_store(store);
  EXPECT_EQ(trial(1, 5), 6);
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(steps, 5);
}

TEST_F(Pure, AnEvictedInputIsComputedAgainOnlyWhenItIsNeeded) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  rt::Value<Vec> v = make(1);
  step(v, 1);
  const base::Key evicted = v.key();
  const double value = score(v).get();
  v = {};
  store->erase(evicted);
  with_store(store);
  v = make(1);
  const rt::Value<double> doubled = step(v, 1);
  const rt::Value<double> again = score(v);
  const auto only =
      rt::run([](rt::Value<double> s) -> rt::Async<double> { co_return co_await s; }(again));
  EXPECT_EQ(only, value);
  EXPECT_EQ(makes + steps + scores, 3);
  EXPECT_EQ(v.get().values()[0], 2);
  EXPECT_EQ(steps, 2);
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(doubled.get(), 4);
}

TEST_F(Pure, KeepDecidesWhatIsStored) {
  auto store = std::make_shared<rt::Store>();
  with_store(store);
  static std::atomic<int> runs;
  runs = 0;
  const auto never = rt::task("never").cpu([] { return ++runs; }).pure().keep(rt::Keep::never);
  never().get();
  EXPECT_EQ(store->stats().inserts, 0U);
  never().get();
  EXPECT_EQ(runs, 2) << "its value was dropped in between";
}

TEST_F(Pure, EqualCallsInFlightAreMerged) {
  static std::atomic<int> runs;
  runs = 0;
  const auto slow = rt::task("slow")
                        .cpu([](int x) {
                          ++runs;
                          std::this_thread::sleep_for(std::chrono::milliseconds(20));
                          return x;
                        })
                        .pure();
  std::vector<rt::Value<int>> all;
  for (int i = 0; i < 10; ++i) all.push_back(slow(7));
  for (const auto& one : all) EXPECT_EQ(one.get(), 7);
  EXPECT_EQ(runs, 1);
}

TEST_F(Pure, AMergedCallOutlivesTheGroupThatRanIt) {
  static std::atomic<int> runs;
  runs = 0;
  const auto slow = rt::task("slow", 2)
                        .cpu([](rt::Context& c) {
                          ++runs;
                          for (int i = 0; i < 200 && !c.stop_requested(); ++i) {
                            std::this_thread::sleep_for(std::chrono::milliseconds(1));
                          }
                          return runs.load();
                        })
                        .pure();
  if (!testing_rt::parallel()) GTEST_SKIP() << "needs a task that runs while the driver goes on";
  rt::Group first("first");
  rt::Value<int> a;
  {
    const auto scope = first.enter();
    a = slow();
    a.demand();
  }
  const rt::Value<int> b = slow();
  b.demand();
  while (runs == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  first.cancel();
  EXPECT_EQ(b.get(), 2) << "it must run again for who was not cancelled";
  EXPECT_THROW(a.get(), rt::Cancelled);
}

}  // namespace
