// Policies as state machines: what they ask for, when, and whom they let win.

#include "nn/adapt/policy.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nn/adapt/contest.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/judge.h"
#include "nn/adapt/plateau.h"
#include "nn/error.h"
#include "tests/nn/nets.h"

namespace nn {
namespace {

const ModelSpec& model() {
  static const ModelSpec kModel = complete(nn_test::mlp(10, {8, 4}, 3));
  return kModel;
}

std::string layer(std::size_t i) { return resizable_layers(model()).at(i); }

Adaptation race(const Fields& fields = {}, std::uint64_t max_weights = 0) {
  return complete(
      Adaptation{.policy = {"race", fields}, .at = {}, .command = {}, .max_weights = max_weights});
}

std::unique_ptr<Policy> make(const Adaptation& adaptation, std::int64_t epochs = 10) {
  return make_policy({.adaptation = adaptation, .spec = model(), .epochs = epochs});
}

Operation widen(const std::string& name, std::int64_t by) { return {"widen", name, {{"by", by}}}; }

/// A candidate as a race leaves it. `size` is its cost and its weights.
Candidate ran(double loss, double size, bool kept = false) {
  Candidate out;
  if (!kept) out.operations = {widen(layer(0), 1)};
  out.loss = loss;
  out.cost = size;
  out.weights = static_cast<std::uint64_t>(size);
  return out;
}

/// Which of the candidates is accepted; the first is the network as it was.
std::size_t winner(const Adaptation& rules, std::vector<Candidate> candidates) {
  candidates.front().operations.clear();
  Round round{.from = 4, .until = 5, .candidates = std::move(candidates)};
  make(rules)->judge(round);
  std::size_t accepted = 0;
  for (const Candidate& c : round.candidates) {
    accepted += c.accepted ? 1U : 0U;
    EXPECT_FALSE(c.why.empty());
  }
  EXPECT_EQ(accepted, 1U);
  return static_cast<std::size_t>(&round.accepted() - round.candidates.data());
}

TEST(Grid, IsTheCoarsestThatHasEveryMoment) {
  const auto grid = [](std::vector<double> epochs) { return grid_of(epochs); };
  EXPECT_EQ(grid({3, 9}), 1);
  EXPECT_EQ(grid({0.5, 0.25}), 4);
  EXPECT_EQ(grid({0.5, 1.0 / 3}), 6);
  EXPECT_EQ(grid({0.001}), 1000);
  EXPECT_THROW((void)grid({0.0001}), base::Error);
  EXPECT_THROW((void)grid({3.14159}), base::Error);
  EXPECT_EQ(boundary_of(1.75, 4), 7);
  EXPECT_EQ(grid({0, 2}), 1);
  for (const double none : {1e-9, 1e-10, 1e-300})
    EXPECT_THROW((void)grid({1, none}), base::Error) << none;
}

TEST(Grid, TheLastBoundaryIsNotBehindItsMoment) {
  EXPECT_EQ(last_boundary_by(0.29, 100), 29);
  EXPECT_EQ(last_boundary_by(2.99, 8), 23);
  EXPECT_EQ(last_boundary_by(3, 8), 24);
}

TEST(Grid, ARaceHasAStep) {
  EXPECT_EQ(with_a_step(4, 5, 4, 100), 5);
  EXPECT_EQ(with_a_step(4, 5, 4, 1), 8) << "the epoch's only step lies before its end";
  EXPECT_EQ(with_a_step(4, 5, 4, 2), 6);
  EXPECT_EQ(with_a_step(6, 7, 4, 2), 8);
}

TEST(Schedule, HasItsTurnAtEveryMomentOnce) {
  const Adaptation plan = complete(Adaptation{
      .policy = {"schedule", {}},
      .at = {{3.5, widen(layer(1), 2)}, {2, widen(layer(0), 4)}, {3.5, widen(layer(0), 1)}},
      .command = {}});
  const auto policy = make(plan);
  EXPECT_EQ(policy->grid(), 2);
  EXPECT_EQ(policy->next(0), 4);
  Turn turn = policy->turn({.now = 4, .spec = model(), .losses = {}});
  ASSERT_EQ(turn.candidates.size(), 1U);
  EXPECT_EQ(turn.candidates[0], (Operations{complete(widen(layer(0), 4))}));
  EXPECT_FALSE(turn.race_until);
  EXPECT_EQ(policy->next(4), 7);
  turn = policy->turn({.now = 7, .spec = model(), .losses = {}});
  EXPECT_EQ(turn.candidates.at(0).size(), 2U);
  EXPECT_EQ(turn.candidates[0][0].layer, layer(1)) << "in the order of the file";
  EXPECT_EQ(policy->next(7), std::nullopt);
}

TEST(Schedule, IsTheSameAfterItsRoundsAlone) {
  const Adaptation plan =
      complete(Adaptation{.policy = {"schedule", {}},
                          .at = {{2, widen(layer(0), 4)}, {3, widen(layer(0), 4)}},
                          .command = {}});
  const auto policy = make(plan);
  policy->told({.from = 2, .until = 2, .candidates = {}});
  EXPECT_EQ(policy->next(2), 3);
}

TEST(Race, RunsOnItsGridWithinAnEpoch) {
  const auto policy = make(race({{"every", 0.5}, {"length", 0.75}, {"until", 2.0}}));
  EXPECT_EQ(policy->grid(), 4);
  EXPECT_EQ(policy->next(0), 2);
  const Turn turn = policy->turn({.now = 2, .spec = model(), .losses = {}});
  EXPECT_EQ(turn.race_until, 4) << "a race ends with its epoch";
  EXPECT_FALSE(turn.candidates.empty());
  EXPECT_EQ(policy->next(2), 4);
  EXPECT_EQ(policy->next(5), 6);
  EXPECT_EQ(policy->next(7), 8);
  EXPECT_EQ(policy->next(9), std::nullopt) << "behind until";
}

TEST(Race, EndsAfterTwoRoundsThatChangeNothing) {
  const auto policy = make(race());
  Round round{.from = 4, .until = 5, .candidates = {ran(1, 10, true), ran(0.5, 20)}};
  round.candidates[0].accepted = true;
  policy->told(round);
  EXPECT_EQ(policy->next(5), 8);
  round = {.from = 8, .until = 9, .candidates = {ran(1, 10, true), ran(0.5, 20)}};
  round.candidates[1].accepted = true;
  policy->told(round);
  for (const std::int64_t from : {12, 16}) {
    EXPECT_NE(policy->next(from - 1), std::nullopt);
    round = {.from = from, .until = from + 1, .candidates = {ran(1, 10, true)}};
    round.candidates[0].accepted = true;
    policy->told(round);
  }
  EXPECT_EQ(policy->next(17), std::nullopt);
}

TEST(Race, GrowsOnlyForMuchAndShrinksForLittle) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(0.96, 20), ran(1.1, 5)}), 0U);
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(0.94, 20), ran(0.9, 30)}), 2U) << "the lowest loss";
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(1.0004, 5), ran(0.9, 6)}), 1U) << "the lowest cost";
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(0.9, 20), ran(0.95, 5)}), 1U) << "growth comes first";
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(0.9, 20), ran(0.9004, 5)}), 2U) << "equal and smaller";
  EXPECT_EQ(winner(race(), {ran(2e-4, 10), ran(1e-5, 20)}), 0U) << "nothing left to gain";
  EXPECT_EQ(winner(race(), {ran(2e-4, 10), ran(6e-4, 5)}), 1U) << "equal and smaller";
  EXPECT_EQ(winner(race(), {ran(1, 10), ran(nan, 20), ran(nan, 5)}), 0U) << "diverged";
  EXPECT_EQ(winner(race(), {ran(nan, 10), ran(0.5, 20)}), 1U) << "the kept one has no loss";
  EXPECT_EQ(winner(race(), {ran(nan, 10), ran(0.5, 20), ran(0.4, 5)}), 2U);
  EXPECT_EQ(winner(race(), {ran(nan, 10), ran(nan, 20), ran(nan, 5)}), 0U);
}

TEST(Race, LossesAtTheBoundsCountAsTheirDescriptionsSay) {
  const Adaptation rules = race({{"grow_below", 0.5}, {"shrink_within", 0.25}});
  EXPECT_EQ(winner(rules, {ran(0.5, 10), ran(0.75, 5)}), 1U) << "at most so much above";
  EXPECT_EQ(winner(rules, {ran(0.5, 10), ran(std::nextafter(0.75, 1), 5)}), 0U);
  EXPECT_EQ(winner(rules, {ran(1, 10), ran(0.5, 20)}), 0U) << "not below so many times";
  EXPECT_EQ(winner(rules, {ran(1, 10), ran(std::nextafter(0.5, 0), 20)}), 1U);
  EXPECT_EQ(winner(rules, {ran(0.375, 10), ran(0.125, 20)}), 0U) << "not by more than that";
  EXPECT_EQ(winner(rules, {ran(0.375, 10), ran(std::nextafter(0.125, 0), 20)}), 1U);
}

TEST(Race, WithAPriceTheLowestSumWins) {
  const Adaptation rules = race({{"price", 0.1}});
  EXPECT_EQ(winner(rules, {ran(1, 10), ran(1 - 0.1 * std::log(2.0) - 0.01, 20)}), 1U);
  EXPECT_EQ(winner(rules, {ran(1, 10), ran(1 - 0.1 * std::log(2.0) + 0.01, 20)}), 0U);
  EXPECT_EQ(winner(rules, {ran(1, 10), ran(1 + 0.05, 5)}), 1U);
}

TEST(Contest, ComparesTheLossThatTheFileNames) {
  std::vector<Candidate> ran_so{ran(0.5, 10), ran(0.6, 5), ran(0.1, 20)};
  ran_so[0].train_loss = 0.4;
  ran_so[1].train_loss = 0.4;
  ran_so[2].train_loss = 0.39;
  EXPECT_EQ(winner(race(), ran_so), 2U);
  EXPECT_EQ(winner(race({{"compare", "train"}}), ran_so), 1U);
}

TEST(Contest, EntersEveryLayerAndAllOfThem) {
  const Contest contest(race({{"shrink", false}}));
  const auto entrants = contest.entrants(model(), {true, false, false});
  ASSERT_EQ(entrants.size(), 3U);
  EXPECT_EQ(entrants[0], (Operations{widen(layer(0), 8)}));
  EXPECT_EQ(entrants[1], (Operations{widen(layer(1), 4)}));
  EXPECT_EQ(entrants[2].size(), 2U);
  const auto narrower = Contest(race()).entrants(model(), {false, false, true});
  ASSERT_EQ(narrower.size(), 3U);
  EXPECT_EQ(describe(narrower[2]), "shrink " + layer(0) + " by 4, shrink " + layer(1) + " by 2");
}

TEST(Contest, ChangesTheLayersThatTheFileSays) {
  const auto entrants = [](const char* layers) {
    return Contest(race({{"layers", layers}})).entrants(model(), {false, false, true});
  };
  EXPECT_EQ(entrants("each").size(), 2U);
  ASSERT_EQ(entrants("all").size(), 1U);
  EXPECT_EQ(entrants("all")[0].size(), 2U);
}

TEST(Contest, LeavesOutWhatHasNoRoom) {
  const std::uint64_t now = weight_count(model());
  const auto entrants = Contest(race({{"shrink", false}}, now + 50)).entrants(model(), {});
  ASSERT_EQ(entrants.size(), 1U) << "4 units more in the second layer: 36 + 12 + 4 - ...";
  EXPECT_EQ(entrants[0][0].layer, layer(1));
  EXPECT_THROW((void)make(race({{"shrink", false}}, now)), SpecError);
}

TEST(Judge, CountsWhatTheCostSays) {
  const auto cost = [](const char* word) {
    const Adaptation adaptation = race({{"cost", word}});
    return Judge({adaptation, model(), 10}).cost(model());
  };
  EXPECT_EQ(cost("weights"), static_cast<double>(weight_count(model())));
  EXPECT_EQ(cost("flops"), 2.0 * (10 * 8 + 8 * 4 + 4 * 3));
  EXPECT_GT(cost("latency"), 3e-6);
  EXPECT_LT(cost("latency"), 4e-6);
}

TEST(Judge, ATrainingsCostIsTheMeanOverItsEpochs) {
  const Adaptation adaptation = race({{"cost", "training"}});
  Judge judge({adaptation, model(), 10});
  const double row = 2.0 * (10 * 8 + 8 * 4 + 4 * 3);
  const ModelSpec narrow = *spec_after(model(), {{"shrink", layer(0), {{"by", std::int64_t{4}}}}});
  const double narrow_row = 2.0 * (10 * 4 + 4 * 4 + 4 * 3);
  EXPECT_DOUBLE_EQ(judge.cost(model()), row);
  EXPECT_DOUBLE_EQ(judge.cost(narrow), narrow_row);
  judge.begins(4);
  EXPECT_DOUBLE_EQ(judge.cost(model()), row);
  EXPECT_DOUBLE_EQ(judge.cost(narrow), 0.4 * row + 0.6 * narrow_row);
  Candidate taken;
  taken.accepted = true;
  taken.inference_flops = static_cast<std::uint64_t>(narrow_row);
  judge.told({.from = 8, .until = 10, .candidates = {taken}}, 2);
  judge.begins(7);
  EXPECT_DOUBLE_EQ(judge.cost(narrow), 0.4 * row + 0.6 * narrow_row);
  EXPECT_DOUBLE_EQ(judge.cost(model()), 0.7 * row + 0.3 * narrow_row)
      << "four epochs and the last three wide";
}

TEST(Plateau, ALineTellsWhetherLossesFall) {
  const auto falls = [](std::vector<double> values) { return probability_of_falling(values); };
  EXPECT_EQ(falls({3, 2}), 0.5);
  EXPECT_EQ(falls({3, 2, 1}), 1.0);
  EXPECT_EQ(falls({1, 2, 3}), 0.0);
  EXPECT_EQ(falls({2, 2, 2}), 0.5);
  EXPECT_GT(falls({1.0, 0.9, 0.85, 0.7, 0.72, 0.6}), 0.99);
  EXPECT_LT(falls({1.0, 0.9, 1.1, 0.95, 1.05, 0.98}), 0.7);
  // By hand: slope -0.1, residuals -0.05, 0.1, -0.05: error sqrt(0.015 / 2), t = -1.1547.
  EXPECT_NEAR(falls({1.0, 1.05, 0.8}), 0.5 * std::erfc(-1.1547005383792515 / std::sqrt(2.0)),
              1e-12);
}

TEST(Plateau, RacesWhenTheLossStandsStillAndTheGapChoosesWhom) {
  const auto policy = make(complete(
      Adaptation{.policy = {"plateau", {{"window", std::int64_t{4}}}}, .at = {}, .command = {}}));
  EXPECT_EQ(policy->grid(), 8);
  EXPECT_EQ(policy->next(0), 4) << "a window first";
  const std::vector<double> falling{1, 0.8, 0.6, 0.4}, still{0.5, 0.51, 0.5, 0.51};
  EXPECT_TRUE(policy->turn({.now = 4, .spec = model(), .losses = falling, .valid_loss = 0.4})
                  .candidates.empty());
  EXPECT_EQ(policy->next(4), 5);
  const Turn under = policy->turn({.now = 5, .spec = model(), .losses = still, .valid_loss = 0.5});
  EXPECT_EQ(under.race_until, 7);
  for (const Operations& operations : under.candidates) EXPECT_EQ(operations[0].kind, "widen");
  const Turn over = policy->turn({.now = 7, .spec = model(), .losses = still, .valid_loss = 0.9});
  EXPECT_EQ(over.race_until, 8) << "a race ends with its epoch";
  ASSERT_FALSE(over.candidates.empty());
  for (const Operations& operations : over.candidates) EXPECT_EQ(operations[0].kind, "shrink");
}

TEST(Plateau, WaitsForAWindowOfLosses) {
  const auto policy = make(complete(
      Adaptation{.policy = {"plateau", {{"window", std::int64_t{4}}}}, .at = {}, .command = {}}));
  const std::vector<double> three{0.5, 0.51, 0.5};
  EXPECT_TRUE(policy->turn({.now = 4, .spec = model(), .losses = three, .valid_loss = 0.9})
                  .candidates.empty())
      << "some segments had no step";
  EXPECT_EQ(policy->next(4), 5);
}

TEST(Policies, NameTheNearestKnownKind) {
  try {
    (void)policy_of("shedule");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean schedule?"), std::string::npos);
  }
}

TEST(Policies, DescribeShapesForPeople) {
  EXPECT_EQ(shape_text(model()), "10-8-4-3");
  EXPECT_EQ(describe(Operations{}), "keep");
}

}  // namespace
}  // namespace nn
