// commutative and redux arguments.
#include <atomic>
#include <thread>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::copy_of;
using testing_rt::RuntimeTest;
using testing_rt::Vec;

struct Sum {
  static double identity() { return 0; }
  static void combine(double& into, const double& from) { into += from; }
};

struct VecSum {
  static Vec identity(const Vec& like) { return Vec(like.header()); }
  static void combine(Vec& into, const Vec& from) {
    for (std::size_t i = 0; i < into.values().size(); ++i) into.values()[i] += from.values()[i];
  }
};

const auto add_up = rt::task("add up").cpu([](rt::redux<double, Sum> sum, double x) { *sum += x; });
const auto add_vec = rt::task("add vec").cpu([](rt::redux<Vec, VecSum> sum, double x) {
  for (double& y : sum->values()) y += x;
});
const auto gather =
    rt::task("gather").cpu([](rt::commutative<std::vector<int>> v, int x) { v->push_back(x); });
const auto twice = rt::task("twice").cpu([](rt::inout<double> x) { *x *= 2; });

class Folds : public RuntimeTest {};

TEST_F(Folds, ReduxStartsFromTheOldValue) {
  rt::Value<double> sum = rt::value(100.0);
  for (int i = 0; i < 10; ++i) add_up(sum, i);
  EXPECT_EQ(sum.get(), 145);
}

TEST_F(Folds, WhatPureTasksAddUpIsNamedByHowItWasMade) {
  static const auto add_pure =
      rt::task("add pure", 1).cpu([](rt::redux<double, Sum> sum, double x) { *sum += x; }).pure();
  rt::Value<double> made = rt::value(0.0), again = rt::value(0.0), impure = rt::value(0.0);
  for (const double x : {1, 2, 3}) {
    add_pure(made, x);
    add_pure(again, x);
    add_up(impure, x);
  }
  const base::Key content = rt::value(6.0).key();
  EXPECT_EQ(made.key(), again.key());
  EXPECT_NE(made.key(), content);
  EXPECT_EQ(impure.key(), content);
  EXPECT_EQ(made.get(), 6);
}

TEST_F(Folds, ReduxOfAnUninitialisedBufferIsRefused) {
  rt::Value<Vec> sum = rt::uninitialised<Vec>({3, 0});
  EXPECT_THROW(add_vec(sum, 1), base::Error);
}

TEST_F(Folds, ACallThatWritesOneValueInTwoWaysIsRefused) {
  static const auto ways =
      rt::task("two ways").cpu([](rt::commutative<double> a, rt::redux<double, Sum> b) {
        *a += *b;
      });
  static const auto in_turn =
      rt::task("in turn").cpu([](rt::inout<double> a, rt::commutative<double> b) { *a += *b; });
  rt::Value<double> v = rt::value(1.0), w = rt::value(2.0);
  EXPECT_THROW(ways(v, v), base::Error);
  EXPECT_THROW(in_turn(v, v), base::Error);
  in_turn(v, w);
  EXPECT_EQ(v.get(), 3);
}

TEST_F(Folds, ReduxGoesOnAfterAnotherUse) {
  rt::Value<double> sum = rt::value(0.0);
  for (int i = 0; i < 5; ++i) add_up(sum, 1);
  twice(sum);
  for (int i = 0; i < 5; ++i) add_up(sum, 1);
  const rt::Value<double> then = sum;
  add_up(sum, 1);
  EXPECT_EQ(then.get(), 15);
  EXPECT_EQ(sum.get(), 16);
}

/// The tree that the documentation promises, by hand.
double tree_sum(std::vector<double> terms) {
  while (terms.size() > 1) {
    std::vector<double> next;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2) next.push_back(terms[i] + terms[i + 1]);
    if (terms.size() % 2 == 1) next.push_back(terms.back());
    terms = next;
  }
  return terms.front();
}

TEST_F(Folds, ReduxBitsFollowTheTreeAndNothingElse) {
  std::vector<double> terms;
  rt::Value<double> sum = rt::value(0.1);
  for (int i = 0; i < 101; ++i) {
    terms.push_back(1.0 / (i + 3));
    add_up(sum, terms.back());
  }
  EXPECT_EQ(sum.get(), 0.1 + tree_sum(terms));
}

TEST_F(Folds, ReduxOfBuffers) {
  rt::Value<Vec> sum = rt::value(Vec(std::vector<double>{1, 2}));
  for (int i = 0; i < 7; ++i) add_vec(sum, i);
  EXPECT_EQ(copy_of(sum.get()), (std::vector<double>{22, 23}));
}

TEST_F(Folds, AFailedPartialPoisonsTheSum) {
  const auto bad =
      rt::task("bad").cpu([](rt::redux<double, Sum>) { throw std::runtime_error("bad part"); });
  rt::Value<double> sum = rt::value(0.0);
  add_up(sum, 1);
  bad(sum);
  add_up(sum, 1);
  EXPECT_THROW(sum.get(), rt::TaskError);
}

TEST_F(Folds, CommutativeCallsTakeTurns) {
  static std::atomic<int> inside;
  static std::atomic<bool> overlapped;
  inside = 0;
  overlapped = false;
  const auto careful = rt::task("careful").cpu([](rt::commutative<int> x) {
    if (++inside != 1) overlapped = true;
    const int seen = *x;
    std::this_thread::yield();
    *x = seen + 1;
    --inside;
  });
  rt::Value<int> x = rt::value(0);
  for (int i = 0; i < 200; ++i) careful(x);
  EXPECT_EQ(x.get(), 200);
  EXPECT_FALSE(overlapped);
}

TEST_F(Folds, CommutativeLeavesOldVersionsAlone) {
  rt::Value<std::vector<int>> v = rt::value(std::vector<int>{});
  const auto old = v;
  for (int i = 0; i < 10; ++i) gather(v, i);
  const auto first = v;
  EXPECT_EQ(first.get().size(), 10U);
  for (int i = 0; i < 10; ++i) gather(v, i);
  EXPECT_EQ(v.get().size(), 20U);
  EXPECT_EQ(first.get().size(), 10U);
  EXPECT_EQ(old.get().size(), 0U);
}

TEST_F(Folds, CommutativeBuffers) {
  const auto add = rt::task("add").cpu([](rt::commutative<Vec> v, rt::in<double> x) {
    for (double& y : v->values()) y += *x;
  });
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{4, 0}));
  rt::Promise<double> late;
  add(v, late.value());
  for (int i = 1; i < 10; ++i) add(v, rt::value(1.0));
  late.set(100.0);
  EXPECT_EQ(copy_of(v.get()), (std::vector<double>{109, 109, 109, 109}));
}

TEST_F(Folds, AFailedCommutativeCallIsTakenBackWhenItsPolicySaysSo) {
  const auto flaky = rt::task("flaky")
                         .cpu([](rt::Context& c, rt::commutative<double> x) {
                           *x += 1;
                           if (c.attempt() == 1) throw std::runtime_error("again");
                         })
                         .on_failure(rt::retry(1));
  rt::Value<double> x = rt::value(0.0);
  for (int i = 0; i < 10; ++i) flaky(x);
  EXPECT_EQ(x.get(), 10);
}

TEST_F(Folds, AFailedCommutativeCallPoisonsTheValue) {
  const auto bad =
      rt::task("bad").cpu([](rt::commutative<double>) { throw std::runtime_error("bad turn"); });
  rt::Value<double> x = rt::value(0.0);
  bad(x);
  EXPECT_THROW(x.get(), rt::TaskError);
}

TEST_F(Folds, WhatNobodyUsesIsDropped) {
  rt::Value<double> sum = rt::value(0.0);
  for (int i = 0; i < 10; ++i) add_up(sum, i);
  sum = {};
  rt::Value<std::vector<int>> v = rt::value(std::vector<int>{});
  for (int i = 0; i < 10; ++i) gather(v, i);
  v = {};
  EXPECT_NO_THROW(rt::wait_all());
}

}  // namespace
