#include "hpo/stopping/hyperband.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hpo {
namespace {

using Sizes = std::vector<std::int64_t>;

std::unique_ptr<StoppingRule> hyperband(std::int64_t brackets, bool promote = false) {
  return make_stopping_rule("hyperband", {.max_step = 81,
                                          .options = {{"min", std::int64_t{1}},
                                                      {"eta", std::int64_t{3}},
                                                      {"brackets", brackets},
                                                      {"promote", promote}}});
}

/// Table 1 of the paper: R = 81, eta = 3.
TEST(Hyperband, SizesOfBracketsAreThoseOfThePaper) {
  EXPECT_EQ(bracket_sizes(5, 3), (Sizes{81, 34, 15, 8, 5}));
  EXPECT_EQ(bracket_sizes(1, 3), (Sizes{1}));
  EXPECT_EQ(bracket_sizes(4, 2), (Sizes{8, 6, 4, 4}));
}

TEST(Hyperband, ARoundHasThoseShares) {
  const Sizes sizes = bracket_sizes(5, 3);
  const auto places = deal_brackets(sizes, 143);
  for (std::size_t s = 0; s < sizes.size(); ++s)
    EXPECT_EQ(std::ranges::count(places, s), sizes[s]) << s;
}

TEST(Hyperband, AShortStudyBelongsToTheFirstBracket) {
  const auto places = deal_brackets(bracket_sizes(5, 3), 6);
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 0, 1, 0, 0, 1}));
}

TEST(Hyperband, ATrialIsComparedWithinItsBracketOnly) {
  auto rule = hyperband(5);
  const auto places = deal_brackets(bracket_sizes(5, 3), 60);
  std::vector<std::uint64_t> first, last;
  for (std::uint64_t trial = 0; trial < places.size(); ++trial) {
    if (places[trial] == 0) first.push_back(trial);
    if (places[trial] == 4) last.push_back(trial);
  }
  EXPECT_EQ(rule->reported(first[0], 1, 1), Decision::go);
  EXPECT_EQ(rule->reported(first[1], 1, 2), Decision::stop);
  ASSERT_FALSE(last.empty());
  for (const std::int64_t step : {1, 3, 9, 27})
    EXPECT_EQ(rule->reported(last[0], step, 100), Decision::go) << "the last one has no rung";
}

TEST(Hyperband, OneBracketIsAsha) {
  auto rule = hyperband(1);
  EXPECT_EQ(rule->reported(0, 1, 1), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 2), Decision::stop);
}

TEST(Hyperband, PromotesInEachBracket) {
  auto rule = hyperband(5, true);
  EXPECT_TRUE(rule->pauses());
  const auto places = deal_brackets(bracket_sizes(5, 3), 12);
  std::vector<std::uint64_t> second;
  for (std::uint64_t trial = 0; trial < places.size(); ++trial)
    if (places[trial] == 1) second.push_back(trial);
  ASSERT_GE(second.size(), 3U);
  EXPECT_EQ(rule->reported(second[0], 1, 1), Decision::go) << "its first rung is 3";
  EXPECT_EQ(rule->reported(second[0], 3, 1), Decision::pause);
  EXPECT_EQ(rule->reported(second[1], 3, 2), Decision::pause);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
  EXPECT_EQ(rule->reported(second[2], 3, 3), Decision::pause);
  EXPECT_EQ(rule->promotes(false), second[0]);
}

}  // namespace
}  // namespace hpo
