#include "hpo/space/parameter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"

namespace hpo {
namespace {

using Int = std::int64_t;

const Domain kDomains[] = {
    FloatRange{1e-4, 1e-1, Scale::log, 0},
    FloatRange{-2, 3, Scale::linear, 0},
    FloatRange{0, 1, Scale::linear, 0.1},
    FloatRange{5, 5, Scale::linear, 0},
    FloatRange{2, 2, Scale::log, 0},
    IntRange{16, 256, Scale::log, 1},
    IntRange{-7, 12, Scale::linear, 1},
    IntRange{0, 100, Scale::linear, 8},
    IntRange{1, 3, Scale::log, 1},
    IntRange{4, 4, Scale::linear, 1},
    IntRange{-kLargestBound, kLargestBound, Scale::linear, 1},
    Choice{{std::string("adam"), std::string("sgd"), std::string("rmsprop")}},
    Choice{{Int{16}, Int{32}, Int{64}}},
    Constant{0.5},
    IntRange{8, 512, Scale::log, 8},
    IntRange{1, 100, Scale::log, 10},
    FloatRange{0.5, 10, Scale::log, 0.5},
    FloatRange{0.001, 1, Scale::log, 0.25},
    Choice{{std::string("small"), std::string("medium"), std::string("large")}, true},
    Choice{{Int{64}, Int{16}, Int{2}}, true},
    FloatRange{-3, 3, Scale::linear, 0, Normal{0, 1}},
    FloatRange{2, 5, Scale::linear, 0, Normal{0, 1}},
    FloatRange{-5, -2, Scale::linear, 0, Normal{0, 1}},
    FloatRange{1e-5, 1e-1, Scale::log, 0, Normal{1e-3, 3}},
    FloatRange{0, 1, Scale::linear, 0.1, Normal{0.3, 0.2}},
    IntRange{1, 300, Scale::log, 1, Normal{20, 2}},
    IntRange{-10, 30, Scale::linear, 4, Normal{3.5, 6}},
};

TEST(Domain, FromUnitStaysInsideAndGoesBack) {
  for (const Domain& domain : kDomains) {
    ASSERT_FALSE(fault_of(domain)) << describe(domain);
    for (int i = 0; i <= 1000; ++i) {
      const ParamValue value = from_unit(domain, i / 1000.0);
      ASSERT_TRUE(contains(domain, value))
          << describe(domain) << " at " << i << ": " << text_of(value);
      const double back = to_unit(domain, value);
      ASSERT_GE(back, 0.0);
      ASSERT_LE(back, 1.0);
      const ParamValue again = from_unit(domain, back);
      if (cardinality(domain)) {
        ASSERT_EQ(again, value) << describe(domain);
      } else {
        ASSERT_NEAR(*number_of(again), *number_of(value),
                    1e-10 * std::abs(*number_of(value)) + 1e-11);
      }
    }
  }
}

TEST(Domain, StepsOnALogScaleFavourEachFactorAlike) {
  const Domain domain = IntRange{8, 512, Scale::log, 8};
  std::map<int, int> octaves;
  for (int i = 0; i < 6000; ++i) {
    const auto value = std::get<Int>(from_unit(domain, (i + 0.5) / 6000));
    EXPECT_EQ(value % 8, 0);
    ++octaves[static_cast<int>(std::log2(static_cast<double>(value)))];
  }
  for (int octave = 4; octave < 8; ++octave)
    EXPECT_NEAR(octaves[octave], 6000 / 7.0, 250) << octave;
}

TEST(Domain, OddCoordinatesAreClamped) {
  const Domain domain = IntRange{1, 10};
  EXPECT_EQ(from_unit(domain, -3), ParamValue(Int{1}));
  EXPECT_EQ(from_unit(domain, 1), ParamValue(Int{10}));
  EXPECT_EQ(from_unit(domain, 7), ParamValue(Int{10}));
  EXPECT_EQ(from_unit(domain, std::nan("")), ParamValue(Int{1}));
  EXPECT_EQ(from_unit(Domain{FloatRange{0.1, 0.3}}, 1), ParamValue(0.3));
}

TEST(Domain, ValuesOfAFiniteDomainAreNumberedAndEquallyLikely) {
  const Domain domains[] = {FloatRange{0, 1, Scale::linear, 0.1},
                            IntRange{0, 100, Scale::linear, 8}, Choice{{true, false}}};
  const std::uint64_t counts[] = {11, 13, 2};
  for (std::size_t d = 0; d < std::size(domains); ++d) {
    ASSERT_EQ(cardinality(domains[d]), counts[d]);
    std::map<std::string, int> seen;
    const int draws = static_cast<int>(counts[d]) * 100;
    for (int i = 0; i < draws; ++i) ++seen[text_of(from_unit(domains[d], (i + 0.5) / draws))];
    for (std::uint64_t i = 0; i < counts[d]; ++i) {
      const ParamValue value = nth_value(domains[d], i);
      EXPECT_EQ(rank_of(domains[d], value), i);
      EXPECT_NEAR(seen[text_of(value)], 100, 1);
    }
  }
  EXPECT_EQ(nth_value(domains[0], 3), ParamValue(0.3));  // not 0.30000000000000004
}

TEST(Domain, LogScaleGivesEachFactorTheSameShare) {
  const Domain domain = FloatRange{1e-4, 1, Scale::log, 0};
  EXPECT_EQ(from_unit(domain, 0.25), ParamValue(1e-3));
  EXPECT_EQ(from_unit(domain, 0.5), ParamValue(1e-2));
  EXPECT_EQ(from_unit(domain, 0), ParamValue(1e-4));
  EXPECT_EQ(from_unit(domain, 1), ParamValue(1.0));
  int small = 0;
  for (int i = 0; i < 1000; ++i) {
    small +=
        std::get<Int>(from_unit(Domain{IntRange{1, 100, Scale::log, 1}}, i / 1000.0)) <= 10 ? 1 : 0;
  }
  EXPECT_NEAR(small, 1000 * std::log(10.5 / 0.5) / std::log(100.5 / 0.5), 2);
}

/// The share of [0, 1] that is mapped to values below `limit`.
double share_below(const Domain& domain, double limit) {
  int below = 0;
  for (int i = 0; i < 10'000; ++i)
    below += number_of(from_unit(domain, (i + 0.5) / 10'000)) < limit ? 1 : 0;
  return below / 1e4;
}

TEST(Domain, APriorGivesEachPartItsShareOfTheNormalDistribution) {
  const Domain wide = FloatRange{-6, 6, Scale::linear, 0, Normal{0, 1}};
  EXPECT_NEAR(share_below(wide, -1), 0.158655, 2e-4);
  EXPECT_NEAR(share_below(wide, 2), 0.977250, 2e-4);
  const Domain log = FloatRange{1e-6, 1, Scale::log, 0, Normal{1e-3, 3}};
  EXPECT_NEAR(share_below(log, 1e-3), 0.5, 2e-4);
  EXPECT_NEAR(share_below(log, 3e-3), 0.841345, 2e-4);
  const Domain cut = FloatRange{0, 6, Scale::linear, 0, Normal{0, 1}};
  EXPECT_NEAR(share_below(cut, 1), 2 * 0.341345, 2e-4);
  // Far out: P(x < 4 | x > 3) = 1 - Q(4) / Q(3).
  const Domain tail = FloatRange{3, 20, Scale::linear, 0, Normal{0, 1}};
  EXPECT_NEAR(share_below(tail, 4), 1 - 3.167124e-5 / 1.349898e-3, 2e-4);
  const Domain mirrored = FloatRange{-20, -3, Scale::linear, 0, Normal{0, 1}};
  EXPECT_NEAR(share_below(mirrored, -4), 3.167124e-5 / 1.349898e-3, 2e-4);
  // An int has what lies within half of it: P(3.5 < x < 4.5) of N(3, 2), cut at 0.5 and 9.5.
  const Domain ints = IntRange{1, 9, Scale::linear, 1, Normal{3, 2}};
  EXPECT_NEAR(share_below(ints, 5) - share_below(ints, 4), 0.1746663 / 0.8937803, 2e-4);
}

TEST(Domain, OnlyListsWithoutAnOrderHaveNone) {
  EXPECT_TRUE(has_order(FloatRange{}));
  EXPECT_TRUE(has_order(IntRange{}));
  EXPECT_TRUE(has_order(Choice{{std::string("b"), std::string("a")}, true}));
  EXPECT_FALSE(has_order(Choice{{Int{1}, Int{2}}}));
  EXPECT_FALSE(has_order(Constant{true}));
  EXPECT_TRUE(are_sorted_numbers({Int{3}, 2.5, Int{-1}}));
  EXPECT_FALSE(are_sorted_numbers({Int{3}, Int{5}, Int{4}}));
  EXPECT_FALSE(are_sorted_numbers({Int{3}, std::string("4")}));
}

TEST(Domain, ContainsLooksAtTheType) {
  EXPECT_FALSE(contains(Domain{FloatRange{0, 2}}, ParamValue(Int{1})));
  EXPECT_TRUE(contains(Domain{FloatRange{0, 2}}, ParamValue(1.0)));
  EXPECT_FALSE(contains(Domain{FloatRange{0, 2}}, ParamValue(std::nan(""))));
  EXPECT_FALSE(contains(Domain{IntRange{0, 10, Scale::linear, 4}}, ParamValue(Int{5})));
  EXPECT_FALSE(contains(Domain{FloatRange{0, 1, Scale::linear, 0.1}}, ParamValue(0.25)));
  EXPECT_FALSE(contains(Domain{Choice{{Int{1}}}}, ParamValue(1.0)));
}

TEST(Domain, TakesAnIntForAFloatWhereThatIsMeant) {
  const Domain unit = FloatRange{.min = 0, .max = 1};
  EXPECT_EQ(as_meant(unit, std::int64_t{1}), ParamValue(1.0));
  const Domain all = FloatRange{.min = -1e300, .max = 1e300};
  for (const std::int64_t far :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(as_meant(all, far), ParamValue(far));
}

TEST(Domain, CountsWhatCanBeCounted) {
  EXPECT_EQ(cardinality(Domain{FloatRange{0, 1}}), std::nullopt);
  EXPECT_EQ(cardinality(Domain{FloatRange{1, 1}}), 1U);
  EXPECT_EQ(cardinality(Domain{FloatRange{0, 0.3, Scale::linear, 0.1}}), 4U);
  EXPECT_EQ(cardinality(Domain{IntRange{-kLargestBound, kLargestBound}}),
            (std::uint64_t{1} << 49) + 1);
  EXPECT_EQ(cardinality(Domain{Constant{true}}), 1U);
}

TEST(Domain, FaultsNameTheFieldAndWhatIsExpected) {
  struct Case {
    Domain domain;
    std::string field, problem;
  };
  const Case cases[] = {
      {FloatRange{1, 0}, "max", "is 0.0, expected at least min, which is 1.0"},
      {FloatRange{0, 1, Scale::log, 0}, "min", "is 0.0, expected more than 0 with scale: log"},
      {FloatRange{-INFINITY, 1}, "min", "is not finite, expected a finite number"},
      {FloatRange{0, std::nan("")}, "max", "is not finite, expected a finite number"},
      {FloatRange{-1e308, 1e308}, "max", "is too far from min for a float"},
      {FloatRange{0, 1, Scale::linear, -1}, "step", "is -1.0, expected a number above 0"},
      {FloatRange{0, 1, Scale::linear, 1e-300}, "step",
       "is too small for the range, expected at most 2^48 steps"},
      {IntRange{0, 10, Scale::log, 1}, "min", "is 0, expected more than 0 with scale: log"},
      {IntRange{3, 2}, "max", "is 2, expected at least min, which is 3"},
      {IntRange{0, kLargestBound + 1}, "max",
       "is too large, expected an int between -2^48 and 2^48"},
      {IntRange{0, 9, Scale::linear, 0}, "step", "is 0, expected an int of at least 1"},
      {Choice{{Int{1}, Int{3}, Int{2}}, true}, "values",
       "are not sorted, but ordered: true needs numbers in rising or falling order"},
      {FloatRange{0, 1, Scale::linear, 0, Normal{NAN, 1}}, "mean",
       "is .nan, expected a finite number"},
      {FloatRange{1, 2, Scale::log, 0, Normal{0, 2}}, "mean",
       "is 0.0, expected more than 0 with scale: log"},
      {FloatRange{0, 1, Scale::linear, 0, Normal{0, 0}}, "deviation",
       "is 0.0, expected a number above 0"},
      {FloatRange{1, 2, Scale::log, 0, Normal{1, 1}}, "deviation",
       "is 1.0, expected a factor above 1 with scale: log"},
      {IntRange{100, 200, Scale::linear, 1, Normal{50, 2}}, "mean",
       "is 50.0, more than 20 deviations away from the range, expected a mean in it or near it"},
      {Choice{}, "values", "is empty, expected at least one value"},
      {Choice{{Int{1}, Int{2}, Int{1}}}, "values", "has 1 twice, expected distinct values"},
      {Choice{{INFINITY}}, "values", "has .inf, expected finite numbers"},
      {Constant{std::nan("")}, "value", "is not finite, expected a finite number"},
  };
  for (const Case& c : cases) {
    const auto fault = fault_of(c.domain);
    ASSERT_TRUE(fault) << c.problem;
    EXPECT_EQ(fault->field, c.field);
    EXPECT_EQ(fault->problem, c.problem);
  }
}

TEST(Domain, DescribesItself) {
  EXPECT_EQ(describe(kDomains[0]), "a float from 0.0001 to 0.1 (log)");
  EXPECT_EQ(describe(kDomains[2]), "a float from 0.0 to 1.0 in steps of 0.1");
  EXPECT_EQ(describe(kDomains[5]), "an int from 16 to 256 (log)");
  EXPECT_EQ(describe(kDomains[11]), "one of adam, sgd, rmsprop");
  EXPECT_EQ(describe(kDomains[13]), "the constant 0.5");
  EXPECT_THROW((void)to_unit(kDomains[11], ParamValue(Int{1})), base::Error);
}

}  // namespace
}  // namespace hpo
