// Searches for several metrics: they come nearer to the front than chance does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hpo/samplers/marks.h"
#include "hpo/samplers/registry.h"
#include "tests/hpo/samplers/studies.h"

namespace hpo {
namespace {

Searched two_metrics(const std::string& kind, int axes) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < axes; ++i)
    parameters.push_back(
        {.name = "x" + std::to_string(i), .domain = FloatRange{.min = 0, .max = 1}});
  return {kind, "cube", Space(std::move(parameters)), 2};
}

double x_of(const Params& params, int axis) {
  return std::get<double>(*params.find("x" + std::to_string(axis)));
}

/// ZDT1 (power 1/2) and ZDT2 (power 2) of Zitzler, Deb and Thiele, "Comparison of multiobjective
/// evolutionary algorithms: empirical results", Evolutionary Computation 8, 2000; of six floats.
struct Zdt {
  static constexpr int kAxes = 6;
  double power;

  [[nodiscard]] Losses at(const Params& params) const {
    double sum = 0;
    for (int i = 1; i < kAxes; ++i) sum += x_of(params, i);
    const double x = x_of(params, 0), g = 1 + 9 * sum / (kAxes - 1);
    return {x, g * (1 - std::pow(x / g, power))};
  }
  static Losses reference() { return {1.1, 6}; }
  /// The front is 1 - x^power up to x = 1; behind it nothing is better than 0.
  [[nodiscard]] double whole() const { return 1.1 * 6 - (1 - 1 / (power + 1)); }
};

double covered(const std::string& kind, const Zdt& problem, std::uint64_t seed,
               std::uint64_t trials) {
  const Searched searched = two_metrics(kind, Zdt::kAxes);
  auto sampler = searched.make(seed);
  std::vector<Losses> all;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const Params params = sampler->propose(i).value();
    sampler->created(i, params);
    all.push_back(problem.at(params));
    sampler->reported(i, 1, Score(all.back()[0], 0, {all.back()[1]}));
    sampler->ended(i, TrialState::complete);
  }
  return hypervolume(all, Zdt::reference());
}

/// How much of what can be covered is not, over three seeds.
double missing(const std::string& kind, const Zdt& problem, std::uint64_t trials) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    sum += problem.whole() - covered(kind, problem, seed, trials);
  return sum / 3;
}

TEST(Several, Nsga2ComesNearerToTheFrontThanChance) {
  for (const double power : {0.5, 2.0})
    EXPECT_LT(missing("nsga2", {power}, 400), 0.5 * missing("random", {power}, 400)) << power;
}

TEST(Several, TpeComesNearerToTheFrontThanChance) {
  for (const double power : {0.5, 2.0})
    EXPECT_LT(missing("tpe", {power}, 200), 0.5 * missing("random", {power}, 200)) << power;
}

/// With five metrics hardly any trial beats another, and an exact hypervolume of hundreds of points
/// takes seconds: a search that asked for many would not end within this test's time.
TEST(Several, ManyMetricsCostNoMore) {
  constexpr int kAxes = 5;
  constexpr std::uint64_t kTrials = 450;
  Searched searched = two_metrics("tpe", kAxes);
  searched.metrics = kAxes;
  auto sampler = searched.make();
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const Params params = sampler->propose(i).value();
    sampler->created(i, params);
    Score score(x_of(params, 0));
    double rest = score.loss;
    for (int axis = 1; axis + 1 < kAxes; ++axis) {
      score.others.push_back(x_of(params, axis));
      rest += x_of(params, axis);
    }
    score.others.push_back(-rest);
    sampler->reported(i, 1, score);
    sampler->ended(i, TrialState::complete);
  }
  EXPECT_TRUE(sampler->propose(kTrials));
}

TEST(Several, WhatBreaksBoundsIsNoParent) {
  for (const std::string kind : {"nsga2", "tpe"}) {
    const Searched searched = two_metrics(kind, 2);
    auto sampler = searched.make(5);
    int infeasible = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Params params = sampler->propose(i).value();
      sampler->created(i, params);
      const double x = x_of(params, 0);
      if (i >= 100) infeasible += x > 0.5;
      sampler->reported(i, 1, Score(-x, x > 0.5 ? x - 0.5 : 0, {x}));
      sampler->ended(i, TrialState::complete);
    }
    EXPECT_LT(infeasible, 35) << kind << ", of 100; chance: 50";
  }
}

/// Beyond the first generations, where the conformance tests do not come.
TEST(Several, ALongSearchThatWasInterruptedGoesOnAsIfItHadNotBeen) {
  constexpr std::size_t kTrials = 140, kCut = 77, kSlots = 5;
  for (const base::KindInfo& kind : sampler_kinds()) {
    if (!searches_several(kind.kind) || kind.kind == "grid") continue;
    const Searched searched{kind.kind, "nested", spaces::nested(), 3};
    auto undisturbed = searched.make(), before = searched.make(), after = searched.make();
    Miniature whole(*undisturbed, kSlots, 3), study(*before, kSlots, 3);
    whole.run(kTrials);
    study.run(kCut);
    for (const Told& told : study.history()) told.to(*after);
    study.hand_over(*after);
    study.run(kTrials);
    EXPECT_EQ(proposals_of(study.history()), proposals_of(whole.history())) << kind.kind;
    for (const Told& told : study.history())
      EXPECT_TRUE(!told.created || searched.space.contains(told.params)) << kind.kind;
  }
}

TEST(BestMarked, TiersComeBeforeFronts) {
  const auto marks = [](int group, double violation, Losses losses, std::uint64_t trial) {
    return Marks{{.group = group, .violation = violation, .trial = trial}, std::move(losses)};
  };
  const std::vector<Marks> trials{
      marks(Merit::kFailed, 0, {0, 0}, 0),       marks(0, 0, {1, 3}, 1),
      marks(Merit::kInfeasible, 2, {0, 0}, 2),   marks(0, 0, {3, 1}, 3),
      marks(Merit::kInfeasible, 0.5, {9, 9}, 4), marks(0, 0, {4, 4}, 5)};
  const auto first = [](std::span<const Losses>, std::size_t count) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = i;
    return places;
  };
  EXPECT_EQ(best_marked(trials, 9, first), (std::vector<std::size_t>{1, 3, 5, 4, 2, 0}));
  EXPECT_EQ(best_marked(trials, 1, first), (std::vector<std::size_t>{1}));
}

TEST(RunningMarks, AFailedTrialHasReachedNothing) {
  RunningMarks running(2);
  running.begin(0);
  running.report(0, 1, Score(NAN, 0, {0.5}));
  EXPECT_EQ(running.end(0, TrialState::failed).losses, (Losses{INFINITY, INFINITY}));
  running.begin(1);
  running.report(1, 1, Score(0.5));
  EXPECT_EQ(running.end(1, TrialState::complete).losses, (Losses{0.5, INFINITY}));
}

}  // namespace
}  // namespace hpo
