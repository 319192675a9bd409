#include "hpo/stopping/combined.h"

#include <gtest/gtest.h>

namespace hpo {
namespace {

const Chosen kAsha{"asha", {{"min", std::int64_t{3}}, {"eta", std::int64_t{3}}}};
const Chosen kAbove5{"threshold", {{"worst", 5.0}, {"min", std::int64_t{1}}}};
const Chosen kPatient{"patience", {{"wait", std::int64_t{2}}, {"min_delta", 0.0}}};

std::unique_ptr<StoppingRule> combined(const std::string& kind, std::vector<Chosen> of) {
  return make_stopping_rule(kind, {.max_step = 10, .of = std::move(of)});
}

TEST(AnyOf, StopsWhereOneOfThemStops) {
  auto rule = combined("any_of", {kAsha, kAbove5});
  EXPECT_EQ(rule->reported(0, 1, 4), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 6), Decision::stop) << "threshold";
  EXPECT_EQ(rule->reported(0, 3, 4), Decision::go);
  EXPECT_EQ(rule->reported(2, 3, 4.5), Decision::stop) << "asha";
}

TEST(AllOf, StopsWhereAllOfThemWould) {
  auto rule = combined("all_of", {kAbove5, kPatient});
  EXPECT_EQ(rule->reported(0, 1, 6), Decision::go) << "bad, and not for long enough";
  EXPECT_EQ(rule->reported(0, 2, 6), Decision::go);
  EXPECT_EQ(rule->reported(0, 3, 6), Decision::stop);
  EXPECT_EQ(rule->reported(1, 1, 4), Decision::go);
  EXPECT_EQ(rule->reported(1, 2, 4), Decision::go);
  EXPECT_EQ(rule->reported(1, 3, 4), Decision::go) << "it stands still, and is good";
}

TEST(AllOf, WhatARuleSaidStandsUntilItDecidesAgain) {
  auto rule = combined("all_of", {kAsha, kAbove5});
  EXPECT_EQ(rule->reported(0, 3, 1), Decision::go);
  EXPECT_EQ(rule->reported(1, 3, 2), Decision::go) << "asha would stop it, threshold would not";
  EXPECT_EQ(rule->reported(1, 4, 6), Decision::stop) << "now both would, though 4 is no rung";
  EXPECT_EQ(rule->reported(0, 4, 6), Decision::go) << "asha let this one go on";
}

TEST(AnyOf, OneOfThemMayPause) {
  Chosen promotion = kAsha;
  promotion.options.set("promote", true);
  auto rule = combined("any_of", {kAbove5, promotion});
  EXPECT_TRUE(rule->pauses());
  EXPECT_EQ(rule->reported(0, 3, 1), Decision::pause);
  EXPECT_EQ(rule->reported(1, 3, 2), Decision::pause);
  EXPECT_EQ(rule->reported(2, 3, 7), Decision::stop) << "threshold, though asha would let it wait";
  rule->ended(2, TrialState::stopped);
  EXPECT_EQ(rule->promotes(false), 0U) << "three were there";
  rule->resumed(0);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
}

TEST(Combined, MayHoldCombinations) {
  const Chosen both{"all_of", {}, {kAbove5, kPatient}};
  auto rule = combined("any_of", {both, kAsha});
  EXPECT_EQ(rule->reported(0, 3, 6), Decision::go);
  EXPECT_EQ(rule->reported(0, 5, 6), Decision::stop);
}

TEST(Combined, AnUnknownRuleGivesNull) {
  EXPECT_EQ(combined("any_of", {{"astrology", {}}}), nullptr);
}

}  // namespace
}  // namespace hpo
