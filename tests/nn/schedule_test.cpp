// Learning-rate schedules: each kind against its formula in f64, curves cut into segments, and
// training under them.

#include "nn/schedules/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "nn/error.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::hyper;
using nn_test::Table;

constexpr double kLr = 0.2;
constexpr std::int64_t kEpochs = 12;

/// The rate at a moment of a training of kEpochs epochs at kLr.
using Formula = std::function<double(double epoch)>;

struct Case {
  nn::Fields fields;
  Formula formula;
};

double half_wave(double from, double to, double share) {
  return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

const std::multimap<std::string, Case>& cases() {
  static const std::multimap<std::string, Case> kCases{
      {"constant", {{}, [](double) { return kLr; }}},
      {"step",
       {{{"every", std::int64_t{5}}, {"factor", 0.5}},
        [](double t) { return kLr * std::pow(0.5, std::floor(t / 5)); }}},
      {"step",
       {{{"every", std::int64_t{3}}, {"factor", 0.1}, {"warmup", 1.5}},
        [](double t) {
          if (t < 1.5) return kLr * (0.1 + 0.9 * t / 1.5);
          return kLr * std::pow(0.1, std::floor(t / 3));
        }}},
      {"cosine", {{}, [](double t) { return half_wave(kLr, 0, t / 12); }}},
      {"cosine",
       {{{"epochs", std::int64_t{8}}, {"floor", 0.01}, {"warmup", 2.0}},
        [](double t) {
          if (t < 2) return kLr * (0.1 + 0.9 * t / 2);
          return t < 8 ? half_wave(kLr, 0.01 * kLr, (t - 2) / 6) : 0.01 * kLr;
        }}},
      {"warmup",
       {{{"epochs", 2.5}, {"start", 0.0}}, [](double t) { return t < 2.5 ? kLr * t / 2.5 : kLr; }}},
      {"one_cycle", {{{"rise", 0.25}, {"start", 0.1}, {"floor", 1e-3}}, [](double t) {
                       return t < 3 ? half_wave(0.1 * kLr, kLr, t / 3)
                                    : half_wave(kLr, 1e-3 * kLr, (t - 3) / 9);
                     }}}};
  return kCases;
}

TEST(Schedule, ACosineNeedsEpochsBehindItsWarmup) {
  const auto message = [](const nn::Fields& fields) -> std::string {
    try {
      (void)nn::schedule_curve({"cosine", fields}, kLr, kEpochs);
    } catch (const nn::SpecError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({{"epochs", std::int64_t{3}}, {"warmup", 5.0}}),
            "warmup of the schedule cosine must be below its length (3 epochs), not 5");
  EXPECT_EQ(message({{"warmup", 12.0}}),
            "warmup of the schedule cosine must be below its length (12 epochs), not 12");
  EXPECT_EQ(message({{"warmup", 11.5}}), "no error");
}

TEST(Schedule, EveryKindFollowsItsFormula) {
  for (const nn::Schedule* kind : nn::schedules()) {
    const auto [begin, end] = cases().equal_range(kind->info().kind);
    ASSERT_NE(begin, end) << kind->info().kind << " has no formula here";
    for (auto it = begin; it != end; ++it) {
      const nn::LrCurve curve = nn::schedule_curve({it->first, it->second.fields}, kLr, kEpochs);
      for (std::int64_t step = 0; step < kEpochs * 7; ++step) {
        const double t = static_cast<double>(step) / 7;
        EXPECT_NEAR(nn::lr_at(curve, t), it->second.formula(t), 1e-15)
            << it->first << " at epoch " << t;
      }
    }
  }
}

TEST(Schedule, EveryKindLastsForEverAndHasNoGaps) {
  for (const auto& [kind, one] : cases()) {
    const nn::LrCurve curve = nn::schedule_curve({kind, one.fields}, kLr, kEpochs);
    double at = 0;
    for (const nn::LrPiece& piece : curve) {
      EXPECT_EQ(piece.begin, at) << kind;
      EXPECT_GT(piece.end, piece.begin) << kind;
      at = piece.end;
    }
    EXPECT_TRUE(std::isinf(at)) << kind;
    EXPECT_EQ(curve.back().shape, nn::LrShape::constant) << kind;
  }
}

TEST(Schedule, UnknownWordsComeWithTheNearest) {
  try {
    (void)nn::schedule_curve({"cosin", {}}, kLr, kEpochs);
    FAIL();
  } catch (const nn::SpecError& error) {
    EXPECT_STREQ(error.what(), "unknown schedule cosin; did you mean cosine?");
  }
}

TEST(LrCurve, PiecewiseChecksItsPoints) {
  using Points = std::vector<std::pair<std::int64_t, double>>;
  const auto message = [](const Points& points) -> std::string {
    try {
      (void)nn::piecewise_curve(points);
      return "";
    } catch (const nn::SpecError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message({}), "lr has no values, expected at least [[0, value]]");
  EXPECT_EQ(message({{1, 0.1}}), "lr begins at epoch 1, expected 0");
  EXPECT_EQ(message({{0, 0.1}, {3, 0.2}, {3, 0.1}}),
            "lr changes at epoch 3 after 3, expected ascending epochs");
  EXPECT_EQ(message({{0, 0.1}, {3, -1}}), "lr is -1 from epoch 3, expected a number above 0");
  EXPECT_EQ(message({{0, 0.1}, {3, 0.2}}), "");
}

nn::Hyper with(nn::LrCurve curve) {
  nn::Hyper h = hyper("sgd", {{"lr", kLr}, {"momentum", 0.9}});
  h.lr = std::move(curve);
  return h;
}

TEST(LrCurve, ASegmentOfOneRateIsThePlainOptimizer) {
  const std::vector<std::pair<std::int64_t, double>> points{{0, 0.1}, {10, 0.01}};
  const nn::Hyper h = with(nn::piecewise_curve(points));
  nn::Hyper plain = hyper("sgd", {{"lr", 0.1}, {"momentum", 0.9}});
  EXPECT_EQ(nn::hyper_on(h, {3, 10}), plain);
  plain.optimizer.fields["lr"] = 0.01;
  EXPECT_EQ(nn::hyper_on(h, {10, 13}), plain);
  EXPECT_EQ(nn::hyper_on(h, {9, 11}).lr.size(), 2U);
  EXPECT_EQ(nn::hyper_on(plain, {0, 3}), plain);
}

TEST(LrCurve, SegmentsThatAgreeAreEqualWhateverComesLater) {
  const auto on = [](const nn::Choice& schedule, std::int64_t epochs, nn::Segment segment) {
    return nn::hyper_on(with(nn::schedule_curve(schedule, kLr, epochs)), segment);
  };
  const auto step = [](double factor) { return nn::Choice{"step", {{"factor", factor}}}; };
  EXPECT_EQ(on(step(0.5), 30, {0, 10}), on(step(0.1), 50, {0, 10}));
  EXPECT_NE(on(step(0.5), 30, {0, 11}), on(step(0.1), 50, {0, 11}));
  EXPECT_EQ(on(step(0.5), 30, {9, 14}), on(step(0.5), 50, {9, 14}));

  const nn::Choice warmup{"warmup", {{"epochs", 2.0}}};
  const nn::Choice cosine{"cosine", {{"warmup", 2.0}}};
  EXPECT_EQ(on(warmup, 9, {0, 2}), on(cosine, 20, {0, 2}));
  EXPECT_NE(on(warmup, 9, {0, 3}), on(cosine, 20, {0, 3}));
  EXPECT_EQ(on(warmup, 9, {2, 3}), on({"constant", {}}, 20, {2, 3}));

  const nn::Choice fixed{"cosine", {{"epochs", std::int64_t{20}}}};
  EXPECT_EQ(on(fixed, 9, {1, 4}), on(fixed, 15, {1, 4}));
  EXPECT_NE(on({"cosine", {}}, 9, {1, 4}), on({"cosine", {}}, 15, {1, 4}));
}

/// Trains under a schedule, cut at the boundaries of a grid.
nn::ParamSlab trained(const nn::Hyper& h, std::int64_t per_epoch,
                      const std::vector<std::int64_t>& boundaries) {
  const Table table(101, 6, 3);
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(6, {9, 5}, 3, "tanh"), h.optimizer));
  nn::init_weights(net, 11);
  nn::Workspace workspace;
  kern::prepare_thread();
  std::int64_t from = 0;
  for (const std::int64_t to : boundaries) {
    const nn::Segment segment{from, to, per_epoch};
    (void)nn::train_steps(kern::cpu_kernels(), workspace, net, table.view(),
                          nn::hyper_on(h, segment), segment);
    from = to;
  }
  return net;
}

bool same_bits(const nn::ParamSlab& a, const nn::ParamSlab& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(Schedule, BitsDoNotDependOnWhereStretchesAreCut) {
  for (const auto& [kind, one] : cases()) {
    for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
      nn::Hyper h = hyper(optimizer, {{"lr", kLr / 10}});
      h.lr = nn::schedule_curve({kind, one.fields}, kLr / 10, 4);
      const nn::ParamSlab whole = trained(h, 1, {4});
      EXPECT_TRUE(same_bits(whole, trained(h, 1, {1, 2, 3, 4}))) << kind;
      EXPECT_TRUE(same_bits(whole, trained(h, 3, {1, 2, 5, 7, 8, 12}))) << kind;
      EXPECT_TRUE(same_bits(whole, trained(h, 10, {7, 8, 33, 40}))) << kind;
    }
  }
}

TEST(Schedule, TheConstantOneIsNoSchedule) {
  const nn::Hyper plain = hyper("adam", {{"lr", 0.01}});
  nn::Hyper same = plain;
  same.lr = nn::schedule_curve({"constant", {}}, 0.01, 4);
  EXPECT_TRUE(same_bits(trained(plain, 1, {2}), trained(same, 1, {2})));
}

}  // namespace
