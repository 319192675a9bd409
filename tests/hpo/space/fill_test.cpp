#include "hpo/space/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "hpo/space/share.h"

namespace hpo {
namespace {

using Int = std::int64_t;
using Is = Clause::Is;

std::string name(int i) { return base::cat("x", i); }

/// Each parameter at most as large as the one before.
Space falling(int count, const Domain& domain) {
  std::vector<Parameter> all;
  std::vector<Forbidden> forbidden;
  for (int i = 0; i < count; ++i) {
    all.push_back({name(i), domain, {}});
    if (i > 0) forbidden.push_back({{{name(i), Is::above, {}, name(i - 1)}}});
  }
  return Space(all, forbidden);
}

Filled fill(const Space& space, const Params& given, std::uint64_t seed = 0) {
  Stream stream(seed, "fill");
  return filled(space, given, space.middle(), stream);
}

/// Whether it is a point of the space that has what was given.
void expect_point(const Space& space, const Params& given, const Filled& filled) {
  ASSERT_TRUE(filled.point) << text_of(given);
  EXPECT_EQ(space.reason_outside(*filled.point), "");
  for (const auto& [name, value] : given) {
    ASSERT_TRUE(filled.point->contains(name)) << name;
    EXPECT_EQ(*filled.point->find(name), value) << name;
  }
}

TEST(Fill, WhatIsOpenIsFilledInBetweenWhatIsGiven) {
  const Space widths = falling(4, IntRange{.min = 4, .max = 1024});
  const std::vector<Params> cases{{{"x0", Int{16}}},
                                  {{"x0", Int{4}}},
                                  {{"x3", Int{1024}}},
                                  {{"x1", Int{9}}, {"x2", Int{9}}},
                                  {{"x0", Int{1000}}, {"x3", Int{999}}}};
  for (const Params& given : cases) expect_point(widths, given, fill(widths, given));
  const Filled none = fill(widths, {{"x0", Int{5}}, {"x3", Int{6}}});
  EXPECT_FALSE(none.point);
  EXPECT_TRUE(none.is_none);
}

TEST(Fill, ItIsTheSameForTheSameStreamAndVariesWithIt) {
  const Space space = falling(6, FloatRange{.min = 0, .max = 1});
  const Params given{{"x2", 1e-7}};
  const Params one = fill(space, given).point.value();
  EXPECT_EQ(fill(space, given).point.value(), one);
  EXPECT_NE(fill(space, given, 1).point.value(), one);
}

TEST(Fill, WhatFitsOfTheBaseStays) {
  const Space space = falling(4, IntRange{.min = 4, .max = 1024});
  Stream stream(0, "fill");
  const Params base{{"x0", Int{900}}, {"x1", Int{800}}, {"x2", Int{30}}, {"x3", Int{20}}};
  const Params point = filled(space, {{"x0", Int{64}}}, base, stream).point.value();
  EXPECT_EQ(*point.find("x2"), ParamValue(Int{30}));
  EXPECT_EQ(*point.find("x3"), ParamValue(Int{20}));
  EXPECT_TRUE(space.contains(point)) << text_of(point);
  EXPECT_EQ(filled(space, {{"x0", Int{850}}}, base, stream).point.value(),
            (Params{{"x0", Int{850}}, {"x1", Int{800}}, {"x2", Int{30}}, {"x3", Int{20}}}));
}

TEST(Fill, LongChainsTakeMilliseconds) {
  const Space space = falling(100, FloatRange{.min = 1e-6, .max = 1, .scale = Scale::log});
  const auto begin = std::clock();
  for (int i = 0; i < 5; ++i) expect_point(space, {{"x50", 1e-3}}, fill(space, {{"x50", 1e-3}}));
  EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
}

TEST(Fill, AConditionMayBeWhatKeepsACombinationAway) {
  const Space space({{"kind", Choice{{std::string("a"), std::string("b")}}, {}},
                     {"x", FloatRange{0, 1}, {{"kind", {std::string("a")}}}},
                     {"y", FloatRange{0, 1}, {}}},
                    {{{{"x", Is::above, {-1.0}}, {"y", Is::above, {0.5}}}}});
  expect_point(space, {{"y", 0.75}}, fill(space, {{"y", 0.75}}));
  const Params given{{"kind", std::string("a")}};
  const Filled filled = fill(space, given);
  expect_point(space, given, filled);
  EXPECT_TRUE(fill(space, {{"kind", std::string("a")}, {"x", 0.5}, {"y", 0.75}}).is_none);
}

TEST(Fill, OneOfSeveralWaysOutIsFound) {
  // Of each three neighbours of a ring one must be nearly 0, and two further apart may not both be.
  constexpr int kRing = 12;
  std::vector<Parameter> all;
  std::vector<Forbidden> forbidden;
  for (int i = 0; i < kRing; ++i) {
    all.push_back({name(i), FloatRange{0, 1}, {}});
    const auto at = [&](int shift) { return name((i + shift) % kRing); };
    forbidden.push_back(
        {{{at(0), Is::above, {1e-9}}, {at(1), Is::above, {1e-9}}, {at(2), Is::above, {1e-9}}}});
    forbidden.push_back({{{at(0), Is::below, {0.5}}, {at(1), Is::below, {0.5}}}});
    forbidden.push_back({{{at(0), Is::below, {0.5}}, {at(2), Is::below, {0.5}}}});
  }
  const Space space(all, forbidden);
  expect_point(space, {}, fill(space, {}));
  expect_point(space, {{"x5", 0.75}}, fill(space, {{"x5", 0.75}}));
  EXPECT_TRUE(fill(space, {{"x5", 0.0}, {"x6", 0.75}, {"x7", 0.75}, {"x8", 0.75}}).is_none);
}

TEST(Fill, ValuesThatMustDifferDo) {
  std::vector<Parameter> all;
  std::vector<Forbidden> forbidden;
  for (int i = 0; i < 6; ++i) {
    all.push_back({name(i), IntRange{.min = 1, .max = 6}, {}});
    for (int j = 0; j < i; ++j) forbidden.push_back({{{name(i), Is::equal, {}, name(j)}}});
  }
  const Space space(all, forbidden);
  expect_point(space, {{"x0", Int{3}}}, fill(space, {{"x0", Int{3}}}));
  all.push_back({"x6", IntRange{.min = 1, .max = 6}, {}});
  for (int j = 0; j < 6; ++j) forbidden.push_back({{{"x6", Is::equal, {}, name(j)}}});
  EXPECT_TRUE(fill(Space(all, forbidden), {}).is_none) << "seven of six";
}

TEST(Fill, SmallSpacesAgreeWithTheirGrids) {
  Stream stream(7, "small spaces");
  int none = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Parameter> all{
        {"a", IntRange{.min = 1, .max = 4}, {}},
        {"b", FloatRange{.min = 0.5, .max = 2, .step = 0.5}, {}},
        {"c", Choice{{Int{3}, Int{1}, Int{2}}}, {}},
        {"d", IntRange{.min = 0, .max = 6, .step = 2}, {{"c", {Int{1}, Int{2}}}}}};
    std::vector<Forbidden> forbidden;
    for (std::uint64_t i = 0; i < 6 + stream.below(10); ++i) {
      Forbidden combination;
      for (std::uint64_t j = 0; j < 1 + stream.below(2); ++j) {
        const std::size_t at = stream.below(4), other = (at + 1 + stream.below(3)) % 4;
        Clause clause{.parameter = all[at].name,
                      .is = std::array{Is::equal, Is::above, Is::below}[stream.below(3)]};
        if (stream.below(2) == 0) {
          clause.other = all[other].name;
        } else {
          clause.values = {from_unit(all[at].domain, stream.uniform())};
        }
        combination.clauses.push_back(clause);
      }
      forbidden.push_back(combination);
    }
    const Space space(all, forbidden);
    const bool some = space.grid_size().value() > 0;
    const Filled found = fill(space, {}, static_cast<std::uint64_t>(round));
    ASSERT_EQ(found.point.has_value(), some) << round;
    EXPECT_EQ(found.is_none, !some);
    EXPECT_EQ(leaves_some(space), some);
    if (some) expect_point(space, {}, found);
    none += some ? 0 : 1;
  }
  EXPECT_GT(none, 20);
  EXPECT_LT(none, 280);
}

TEST(Fill, DrawsLittleThatIsLeftAboutEvenly) {
  const Space space = falling(9, FloatRange{.min = 0, .max = 1});
  std::vector<double> mean(9);
  constexpr int kPoints = 400;
  for (std::uint64_t i = 0; i < kPoints; ++i) {
    Stream stream(i, "drawn");
    const Filled one = drawn(space, stream);
    expect_point(space, {}, one);
    for (int j = 0; j < 9; ++j) mean[j] += std::get<double>(*one.point->find(name(j))) / kPoints;
  }
  for (int j = 0; j < 9; ++j)
    EXPECT_NEAR(mean[j], (9 - j) / 10.0, 0.04) << "the mean of the " << j << ". largest of nine";
}

}  // namespace
}  // namespace hpo
