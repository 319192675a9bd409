#include "hpo/samplers/pbt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Population : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Sampler> make(std::int64_t members, double quantile = 0.25,
                                              std::int64_t every = 2, std::size_t reshapes = 0) {
    return make_sampler("pbt", {.space = space_,
                                .seed = 7,
                                .options = {{"members", members},
                                            {"every", every},
                                            {"quantile", quantile},
                                            {"resample", 0.25},
                                            {"factor", 1.2}},
                                .max_step = 10,
                                .explorable = {"lr", "momentum"},
                                .reshapes = reshapes});
  }

  void begin(Sampler& sampler, std::uint64_t members) {
    for (std::uint64_t trial = 0; trial < members; ++trial) {
      params_[trial] = sampler.propose(trial).value();
      sampler.created(trial, params_[trial]);
    }
  }

  static void report(Sampler& sampler, std::int64_t step, const std::vector<double>& losses) {
    for (std::size_t trial = 0; trial < losses.size(); ++trial)
      sampler.reported(trial, step, Score(losses[trial]));
  }

  /// trial: source, of those that are replaced.
  static std::map<std::uint64_t, std::uint64_t> sources(const Sampler& sampler) {
    std::map<std::uint64_t, std::uint64_t> all;
    for (const Resumption& d : sampler.decide()) {
      if (d.source) all[d.trial] = *d.source;
    }
    return all;
  }

  Space space_ = spaces::continuous();
  std::map<std::uint64_t, Params> params_;
};

TEST_F(Population, PausesAtItsBoundariesAndNotAtTheEnd) {
  const auto sampler = make(8);
  for (const auto& [step, pauses] :
       std::map<std::int64_t, bool>{{1, false}, {2, true}, {3, false}, {8, true}, {10, false}})
    EXPECT_EQ(sampler->pauses(step), pauses) << step;
}

TEST_F(Population, TheWorstQuarterTakesOverTheBestQuarter) {
  const auto sampler = make(8);
  begin(*sampler, 8);
  report(*sampler, 2, {0.5, 0.1, 0.9, 0.3, 0.2, 0.4, 0.8, 0.6});
  EXPECT_EQ(sampler->decide().size(), 8U);
  const auto replaced = sources(*sampler);
  ASSERT_EQ(replaced.size(), 2U);
  for (const std::uint64_t trial : {2U, 6U})
    EXPECT_TRUE(replaced.at(trial) == 1 || replaced.at(trial) == 4) << trial;
}

TEST_F(Population, NobodyIsDecidedAboutBeforeAllWait) {
  const auto sampler = make(3);
  begin(*sampler, 2);
  report(*sampler, 2, {0.1, 0.2});
  EXPECT_TRUE(sampler->decide().empty()) << "the third is not born yet";
  sampler->created(2, space_.middle());
  sampler->reported(2, 1, Score(0.3));
  EXPECT_TRUE(sampler->decide().empty()) << "the third is not there yet";
  sampler->reported(2, 2, Score(0.3));
  EXPECT_EQ(sampler->decide().size(), 3U);
}

TEST_F(Population, SizesOfTheQuantile) {
  // members, quantile, replaced: rounded up, at most half, nobody alone
  const std::tuple<int, double, std::size_t> cases[] = {
      {8, 0.25, 2}, {8, 0.26, 3}, {10, 0.1, 1}, {3, 0.5, 1}, {2, 0.25, 1}, {8, 0, 0}, {5, 0.5, 2}};
  for (const auto& [members, quantile, expected] : cases) {
    const auto sampler = make(members, quantile);
    begin(*sampler, static_cast<std::uint64_t>(members));
    for (int trial = 0; trial < members; ++trial)
      sampler->reported(static_cast<std::uint64_t>(trial), 2, Score(trial));
    EXPECT_EQ(sources(*sampler).size(), expected) << members << " " << quantile;
  }
}

TEST_F(Population, AmongEqualsTheHigherNumberFalls) {
  const auto sampler = make(4);
  begin(*sampler, 4);
  report(*sampler, 2, {0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(sources(*sampler), (std::map<std::uint64_t, std::uint64_t>{{3, 0}}));
}

TEST_F(Population, WhatDivergedFallsHoweverMany) {
  const auto sampler = make(4);
  begin(*sampler, 4);
  report(*sampler, 2, {kNan, kNan, 0.5, kNan});
  EXPECT_EQ(sources(*sampler), (std::map<std::uint64_t, std::uint64_t>{{0, 2}, {1, 2}, {3, 2}}));
}

TEST_F(Population, WhereAllDivergedNobodyIsReplaced) {
  const auto sampler = make(4);
  begin(*sampler, 4);
  report(*sampler, 2, {kNan, kNan, kNan, kNan});
  EXPECT_EQ(sampler->decide().size(), 4U);
  EXPECT_TRUE(sources(*sampler).empty());
}

TEST_F(Population, WhoFailedIsNotWaitedFor) {
  const auto sampler = make(4);
  begin(*sampler, 4);
  for (const std::uint64_t trial : {0U, 1U, 3U})
    sampler->reported(trial, 2, Score(0.1 * (1 + trial)));
  EXPECT_TRUE(sampler->decide().empty());
  sampler->ended(2, TrialState::failed);
  EXPECT_EQ(sources(*sampler), (std::map<std::uint64_t, std::uint64_t>{{3, 0}}));
}

TEST_F(Population, WhoRunsAgainCatchesUpAndIsWaitedForThen) {
  const auto sampler = make(3);
  const auto all_go_on = [&](std::size_t members) {
    const std::vector<Resumption> decisions = sampler->decide();
    ASSERT_EQ(decisions.size(), members);
    for (const Resumption& decision : decisions) sampler->resumed(decision.trial);
  };
  begin(*sampler, 3);
  report(*sampler, 1, {0.1, 0.2, 0.3});
  sampler->ended(2, TrialState::failed);
  for (const std::int64_t step : {2, 4}) {
    report(*sampler, step, {0.1, 0.2});
    all_go_on(2);
  }
  sampler->reopened(2);
  report(*sampler, 6, {0.1, 0.2});
  EXPECT_TRUE(sampler->decide().empty()) << "the third runs again";
  for (const std::int64_t step : {2, 4}) {
    sampler->reported(2, step, Score(0.05));
    const std::vector<Resumption> decisions = sampler->decide();
    ASSERT_EQ(decisions.size(), 1U);
    EXPECT_EQ(decisions[0].trial, 2U);
    EXPECT_FALSE(decisions[0].source) << "the others have passed there";
    sampler->resumed(2);
  }
  sampler->reported(2, 6, Score(0.05));
  EXPECT_EQ(sampler->decide().size(), 3U);
  EXPECT_EQ(sources(*sampler), (std::map<std::uint64_t, std::uint64_t>{{1, 2}}));
}

TEST_F(Population, EachIsNamedUntilItWasToldAndNoSecondTime) {
  const auto sampler = make(4);
  begin(*sampler, 4);
  report(*sampler, 2, {0.1, 0.2, 0.3, 0.4});
  EXPECT_EQ(sampler->decide().size(), 4U);
  sampler->replaced(3, space_.middle());
  EXPECT_EQ(sampler->decide().size(), 3U);
  for (std::uint64_t trial = 0; trial < 4; ++trial) sampler->resumed(trial);
  EXPECT_TRUE(sampler->decide().empty());
  sampler->reported(0, 3, Score(0.1));
  EXPECT_TRUE(sampler->decide().empty());
}

TEST_F(Population, ADecisionStandsWhileOthersGoOn) {
  const auto all = make(4), some = make(4);
  for (Sampler* sampler : {all.get(), some.get()}) {
    begin(*sampler, 4);
    report(*sampler, 2, {0.1, 0.2, 0.3, 0.4});
  }
  some->resumed(0);
  some->reported(0, 3, Score(5.0));
  some->reported(0, 4, Score(5.0));
  const Resumption before = all->decide().back(), after = some->decide().back();
  EXPECT_EQ(after.trial, 3U);
  EXPECT_EQ(before.source, after.source);
  EXPECT_EQ(before.params, after.params);
}

TEST_F(Population, ACopyExploresFromItsSourcesParamsOfNow) {
  const auto sampler = make(2, 0.5);
  begin(*sampler, 2);
  report(*sampler, 2, {0.1, 0.2});
  Params better = space_.middle();
  better.set("width", std::int64_t{99});
  sampler->replaced(1, better);
  sampler->resumed(0);
  sampler->resumed(1);
  report(*sampler, 4, {0.2, 0.1});
  const Resumption decision = sampler->decide().front();
  EXPECT_EQ(decision.trial, 0U);
  EXPECT_EQ(*decision.params.find("width"), ParamValue(std::int64_t{99})) << "inherited";
  EXPECT_NE(*decision.params.find("lr"), *better.find("lr"));
  EXPECT_TRUE(space_.contains(decision.params));
}

TEST_F(Population, EveryReshapeAndNoneComeUp) {
  const auto sampler = make(8, 0.5, 1, 2);
  begin(*sampler, 8);
  std::map<std::int64_t, int> counts;
  for (std::int64_t step = 1; step < 10; ++step) {
    report(*sampler, step, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8});
    for (const Resumption& d : sampler->decide()) {
      if (d.source) ++counts[d.reshape ? static_cast<std::int64_t>(*d.reshape) : -1];
      if (d.source) sampler->replaced(d.trial, d.params);
      sampler->resumed(d.trial);
    }
  }
  ASSERT_EQ(counts.size(), 3U);
  for (const auto& [which, count] : counts) EXPECT_GT(count, 5) << which;
}

TEST(PbtSpace, MustHaveAPointForEachMember) {
  EXPECT_EQ(sampler_refuses("pbt", spaces::small(), {}), "");
  EXPECT_EQ(sampler_refuses("pbt", spaces::continuous(), {}), "");
  EXPECT_NE(sampler_refuses("pbt", spaces::conditional(), {}).find("but the space has 4"),
            std::string::npos);
  EXPECT_EQ(sampler_refuses("pbt", spaces::conditional(), {{"members", std::int64_t{4}}}), "");
}

}  // namespace
}  // namespace hpo
