#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "hpo/space/grid.h"

namespace hpo {
namespace {

using Int = std::int64_t;

/// All points in order, each checked to lie in the space and to be new.
std::vector<std::string> points(const Space& space) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < space.grid_size().value(); ++i) {
    const Params params = space.grid_point(i);
    EXPECT_TRUE(space.contains(params)) << text_of(params);
    result.push_back(text_of(params));
  }
  EXPECT_EQ(std::set(result.begin(), result.end()).size(), result.size());
  return result;
}

TEST(Grid, TurnsTheLastParameterFastest) {
  const Space space({{"a", Choice{{std::string("x"), std::string("y")}}, {}},
                     {"b", IntRange{1, 3}, {}},
                     {"c", Constant{true}, {}}});
  const std::vector<std::string> expected{"a=x b=1 c=true", "a=x b=2 c=true", "a=x b=3 c=true",
                                          "a=y b=1 c=true", "a=y b=2 c=true", "a=y b=3 c=true"};
  EXPECT_EQ(points(space), expected);
}

TEST(Grid, ConditionsGrowAndCutBranches) {
  const Space space(
      {{"opt", Choice{{std::string("adam"), std::string("sgd"), std::string("rms")}}, {}},
       {"momentum", FloatRange{0, 0.9, Scale::linear, 0.9}, {{"opt", {std::string("sgd")}}}},
       {"depth", IntRange{1, 4}, {}},
       {"wide", Choice{{true, false}}, {{"depth", {Int{2}, Int{4}}}}},
       {"extra", IntRange{1, 3}, {{"wide", {true}}, {"opt", {std::string("sgd")}}}}});
  // adam and rms: depth 1, 3 once; 2, 4 twice. sgd: twice that, and thrice where wide.
  const auto all = points(space);
  EXPECT_EQ(all.size(), 6U + 2U * (2U + 2U * (3U + 1U)) + 6U);
  EXPECT_EQ(all.front(), "opt=adam depth=1");
  EXPECT_EQ(all[6], "opt=sgd momentum=0.0 depth=1");
  EXPECT_EQ(all.back(), "opt=rms depth=4 wide=false");
}

TEST(Grid, AChildDeclaredBeforeItsParentIsFound) {
  const Space space({{"child", IntRange{1, 2}, {{"parent", {std::string("on")}}}},
                     {"parent", Choice{{std::string("off"), std::string("on")}}, {}}});
  const std::vector<std::string> expected{"parent=off", "child=1 parent=on", "child=2 parent=on"};
  EXPECT_EQ(points(space), expected);
}

TEST(Grid, ForbiddenCombinationsAreNoPoints) {
  using Is = Clause::Is;
  const std::string on = "on", off = "off";
  const Space space({{"first", IntRange{1, 3}, {}},
                     {"other", IntRange{1, 2}, {}},
                     {"second", IntRange{1, 3}, {{"deep", {on}}}},
                     {"deep", Choice{{off, on}}, {}}},
                    {{{{"second", Is::above, {}, "first"}}},
                     {{{"second", Is::equal, {}, "first"}, {"first", Is::below, {2.5}}}},
                     {{{"first", Is::equal, {Int{1}, Int{3}}}, {"deep", Is::equal, {off}}}}});
  // first 1: nothing; 2: off, and second 1; 3: second 1, 2 and 3. Other twice each.
  const std::vector<std::string> expected{
      "first=2 other=1 deep=off",         "first=2 other=1 second=1 deep=on",
      "first=2 other=2 deep=off",         "first=2 other=2 second=1 deep=on",
      "first=3 other=1 second=1 deep=on", "first=3 other=1 second=2 deep=on",
      "first=3 other=1 second=3 deep=on", "first=3 other=2 second=1 deep=on",
      "first=3 other=2 second=2 deep=on", "first=3 other=2 second=3 deep=on"};
  std::vector<std::string> all = points(space);
  std::ranges::sort(all);
  EXPECT_EQ(all, expected);
  const Space dense({{"x", FloatRange{0, 1, Scale::linear, 0.5}, {}}, {"y", FloatRange{0, 1}, {}}},
                    {{{{"y", Is::above, {0.5}}}}});
  EXPECT_EQ(dense.grid_size(), std::nullopt);
}

TEST(Grid, SizesAreExactOrAbsent) {
  EXPECT_EQ(Space().grid_size(), 1U);
  EXPECT_EQ(Space().grid_point(0), Params{});
  EXPECT_EQ(Space({{"x", FloatRange{0, 1}, {}}}).grid_size(), std::nullopt);
  const Space hidden({{"a", Choice{{true, false}}, {}}, {"x", FloatRange{0, 1}, {{"a", {true}}}}});
  EXPECT_EQ(hidden.grid_size(), std::nullopt);
  std::vector<Parameter> many;
  for (int i = 0; i < 63; ++i) many.push_back({"p" + std::to_string(i), Choice{{true, false}}, {}});
  EXPECT_EQ(Space(many).grid_size(), std::uint64_t{1} << 63);
  EXPECT_EQ(*Space(many).grid_point(1).find("p62"), ParamValue(false));
  EXPECT_EQ(*Space(many).grid_point(1).find("p61"), ParamValue(true));
  many.push_back({"q", Choice{{true, false}}, {}});
  EXPECT_EQ(Space(many).grid_size(), std::nullopt);
  EXPECT_THROW((void)Space(many).grid_point(0), base::Error);
  EXPECT_THROW((void)Space().grid_point(1), base::Error);
}

TEST(Grid, HugeRangesAndManyBranchesAnswerAtOnce) {
  const Space wide({{"n", IntRange{0, 1'000'000'000'000}, {}},
                    {"x", IntRange{1, 5}, {{"n", {Int{7}, Int{900}}}}}});
  EXPECT_EQ(wide.grid_size(), 1'000'000'000'001U + 8U);
  EXPECT_EQ(text_of(wide.grid_point(6)), "n=6");
  EXPECT_EQ(text_of(wide.grid_point(7)), "n=7 x=1");
  EXPECT_EQ(text_of(wide.grid_point(11)), "n=7 x=5");
  EXPECT_EQ(text_of(wide.grid_point(12)), "n=8");
  EXPECT_EQ(text_of(wide.grid_point(1'000'000'000'008U)), "n=1000000000000");
  std::vector<Parameter> tangle;
  for (int i = 0; i < 64; ++i) {
    std::vector<Condition> when;
    if (i >= 32) when.push_back({"p" + std::to_string(i - 32), {Int{1}}});
    tangle.push_back({"p" + std::to_string(i), IntRange{0, 1}, when});
  }
  EXPECT_EQ(Space(tangle).grid_size(), std::nullopt);
}

TEST(Grid, KeepsWhatItCounted) {
  // 400 x 400 with half of it forbidden: each point alone would count all of it.
  const Space half({{"a", IntRange{1, 400}, {}}, {"b", IntRange{1, 400}, {}}},
                   {{{{"b", Clause::Is::above, {}, "a"}}}});
  GridPoints points(half);
  ASSERT_EQ(points.size(), 400U * 401U / 2);
  const base::Moment begun = base::now();
  for (std::uint64_t i = 0; i < 400; ++i) EXPECT_TRUE(half.contains(points.point(i * 200)));
  const double many = base::seconds_since(begun);
  (void)half.grid_size();
  const double counting = base::seconds_since(begun) - many;
  EXPECT_LT(many, 100 * counting) << "a quarter of what counting for each would take";
  EXPECT_EQ(text_of(points.point(0)), "a=1 b=1");
  EXPECT_EQ(text_of(points.point(1)), "a=2 b=1");
  EXPECT_EQ(text_of(points.point(80199)), "a=400 b=400");
  EXPECT_THROW((void)points.point(80200), base::Error);
}

TEST(Grid, WhatCannotBeCountedIsFoundOutAtOnce) {
  const Space widths(
      {{"w1", IntRange{16, 512}, {}},
       {"w2", IntRange{16, 512}, {}},
       {"w3", IntRange{16, 512}, {}},
       {"lr", FloatRange{0, 1}, {}}},
      {{{{"w2", Clause::Is::above, {}, "w1"}}}, {{{"w3", Clause::Is::above, {}, "w2"}}}});
  const base::Moment begun = base::now();
  EXPECT_EQ(widths.grid_size(), std::nullopt);
  EXPECT_LT(base::seconds_since(begun), 1) << "walking it takes many seconds";
}

TEST(Grid, SubtreesThatDifferInNothingThatMattersAreCountedOnce) {
  // 2^30 ways to choose the switches; each matters to the parameter behind it alone.
  std::vector<Parameter> chain;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "s" + std::to_string(i);
    chain.push_back({name, IntRange{0, 1}, {}});
    chain.push_back({"x" + std::to_string(i), IntRange{1, 2}, {{name, {Int{1}}}}});
  }
  std::uint64_t expected = 1;
  for (int i = 0; i < 30; ++i) expected *= 3;
  const Space space(chain);
  EXPECT_EQ(space.grid_size(), expected);
  EXPECT_TRUE(space.contains(space.grid_point(expected / 2)));
}

}  // namespace
}  // namespace hpo
