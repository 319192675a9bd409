#include "hpo/samplers/standings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/hpo/samplers/searching.h"

namespace hpo {
namespace {

using Trials = std::vector<std::uint64_t>;

Merit ended(std::uint64_t trial, TrialState state, std::int64_t step, const Score& score) {
  Merit merit{.trial = trial};
  merit.report(step, score);
  merit.end(state);
  return merit;
}

/// Trials 0 and 1 are complete, 2 was stopped at step 2.
Standings some() {
  Standings standings(3);
  for (const auto& [trial, step, loss] : std::vector<std::tuple<int, int, double>>{{0, 1, .6},
                                                                                   {0, 2, .5},
                                                                                   {0, 4, .2},
                                                                                   {1, 1, .5},
                                                                                   {1, 2, .4},
                                                                                   {1, 4, .3},
                                                                                   {2, 1, .7},
                                                                                   {2, 2, .6}})
    (void)standings.report(std::uint64_t(trial), step, Score(loss));
  (void)standings.end(ended(0, TrialState::complete, 4, Score(.2)));
  (void)standings.end(ended(1, TrialState::complete, 4, Score(.3)));
  (void)standings.end(ended(2, TrialState::stopped, 2, Score(.6)));
  return standings;
}

TEST(Standings, OfEndedTrialsAreByMerit) {
  EXPECT_EQ(some().best(2), (Trials{0, 1}));
  EXPECT_EQ(some().best(9), (Trials{0, 1, 2}));
  EXPECT_EQ(some().size(), 3U);
}

TEST(Standings, WhoGoesOnStandsAsIfItHadNeverEnded) {
  for (const std::uint64_t trial : {0, 1, 2}) {
    Standings standings = some();
    standings.go_on(trial);
    EXPECT_EQ(standings.size(), 3U);
    const Trials best = standings.best(3);
    EXPECT_EQ(std::ranges::count(best, trial), 1);
    (void)standings.report(trial, 8, Score(.1));
    EXPECT_EQ(standings.best(1), (Trials{trial}));
    EXPECT_FALSE(standings.end(ended(trial, TrialState::complete, 8, Score(.1))));
    EXPECT_EQ(standings.best(1), (Trials{trial}));
    EXPECT_EQ(standings.size(), 3U);
  }
}

TEST(Standings, WhoRunsIsAheadOfWhoWasBehindAtTheSameStep) {
  Standings standings = some();
  EXPECT_TRUE(standings.report(5, 1, Score(.55)));
  EXPECT_EQ(standings.best(3), (Trials{5, 0, 1}));
  EXPECT_EQ(standings.ahead_of(5), 0U);
  EXPECT_FALSE(standings.report(5, 2, Score(.5)));
  EXPECT_EQ(standings.best(3), (Trials{0, 1, 5})) << "as good as 0 was there is not ahead";
  EXPECT_EQ(standings.ahead_of(5), 2U);
  (void)standings.report(5, 3, Score(.59));
  EXPECT_EQ(standings.ahead_of(5), 2U) << "2 was stopped before";
  EXPECT_EQ(standings.size(), 4U);
  EXPECT_FALSE(standings.end(ended(5, TrialState::complete, 3, Score(.1))));
  EXPECT_EQ(standings.best(1), (Trials{5}));
  EXPECT_EQ(standings.ahead_of(5), std::nullopt);
}

TEST(Standings, OfTwoThatRunTheOneThatIsFartherComesFirst) {
  Standings standings = some();
  (void)standings.report(5, 1, Score(.1));
  (void)standings.report(6, 1, Score(.1));
  (void)standings.report(6, 2, Score(.1));
  EXPECT_EQ(standings.best(3), (Trials{6, 5, 0}));
}

TEST(Standings, ABrokenBoundOrNoNumberIsAheadOfNobody) {
  Standings standings = some();
  (void)standings.report(5, 1, Score(NAN));
  Score infeasible(.1);
  infeasible.violation = 1;
  (void)standings.report(6, 1, infeasible);
  EXPECT_EQ(standings.best(3), (Trials{0, 1, 2}));
  Standings roomy(25);
  (void)roomy.report(5, 1, Score(NAN));
  (void)roomy.report(6, 1, infeasible);
  (void)roomy.report(7, 1, Score(.9));
  EXPECT_EQ(roomy.best(5), (Trials{7}));
  (void)standings.end(ended(7, TrialState::failed, 1, Score(.1)));
  (void)standings.report(8, 4, Score(.9));
  EXPECT_EQ(standings.ahead_of(8), 2U);
}

TEST(Standings, NobodyIsAheadOfItsEqualAtAnyStep) {
  const auto loss = [](std::int64_t step) { return 1 / std::sqrt(static_cast<double>(step)); };
  Standings standings(3);
  for (std::int64_t step = 1; step <= 200; ++step)
    (void)standings.report(0, step, Score(loss(step)));
  (void)standings.end(ended(0, TrialState::complete, 200, Score(loss(200))));
  for (std::int64_t step = 1; step < 200; ++step) {
    (void)standings.report(1, step, Score(loss(step)));
    EXPECT_EQ(standings.ahead_of(1), std::nullopt) << step;
    (void)standings.report(2, step, Score(0.8 * loss(step)));
    EXPECT_EQ(standings.ahead_of(2), 0U) << step;
  }
}

TEST(Standings, AForgottenTrialCountsNoMore) {
  Standings standings = some();
  (void)standings.report(5, 1, Score(.1));
  standings.forget(5);
  EXPECT_EQ(standings.best(1), (Trials{0}));
  EXPECT_EQ(standings.size(), 3U);
}

/// Values of x that were proposed after the first 20 trials, in order of size. The longer the
/// trials, the better they are: eight run at a time, and one at x = 1 takes as long as 50 at x = 0.
std::vector<double> proposed(const std::string& kind, std::uint64_t seed) {
  constexpr int kTrials = 60, kSlots = 8, kSteps = 9;
  const Space space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "y", .domain = FloatRange{.min = 0, .max = 1}}});
  const auto sampler = make(kind, space, seed);
  std::vector<Params> all;
  std::map<std::pair<double, std::uint64_t>, int> next;  // (time, trial): step
  double now = 0;
  const auto place = [&](std::uint64_t trial, const char* name) {
    return std::get<double>(*all[trial].find(name));
  };
  const auto lasts = [&](std::uint64_t trial) { return std::pow(50, place(trial, "x")); };
  while (true) {
    while (next.size() < kSlots && all.size() < kTrials) {
      const std::uint64_t trial = all.size();
      all.push_back(sampler->propose(trial).value());
      sampler->created(trial, all.back());
      next.emplace(std::pair(now + lasts(trial), trial), 1);
    }
    if (next.empty()) break;
    const auto [when, step] = *next.begin();
    const auto [time, trial] = when;
    next.erase(next.begin());
    now = time;
    const double final = 1 - place(trial, "x") + std::abs(place(trial, "y") - 0.3);
    sampler->reported(trial, step, Score(final + 1.0 / step));
    if (step == kSteps) {
      sampler->ended(trial, TrialState::complete);
    } else {
      next.emplace(std::pair(now + lasts(trial), trial), step + 1);
    }
  }
  std::vector<double> out;
  for (std::uint64_t trial = 20; trial < kTrials; ++trial) out.push_back(place(trial, "x"));
  std::ranges::sort(out);
  return out;
}

class BesideShortTrials : public testing::TestWithParam<const char*> {};

TEST_P(BesideShortTrials, LongOnesAreNotTakenForBad) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) sum += proposed(GetParam(), seed)[20];
  EXPECT_GT(sum / 5, 0.7);
}

INSTANTIATE_TEST_SUITE_P(Samplers, BesideShortTrials, testing::Values("tpe", "gp", "auto"));

}  // namespace
}  // namespace hpo
