// The densities behind tpe, against their definitions.

#include "hpo/samplers/parzen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hpo/space/normal.h"

namespace hpo {
namespace {

TEST(Normal, QuantileAndDistributionAreInverse) {
  for (double p :
       {1e-300, 1e-100, 1e-20, 1e-10, 0.001, 0.07, 0.3, 0.5, 0.6, 0.93, 0.999, 1 - 1e-12})
    EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-11) << p;
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_cdf(-1), 0.15865525393145707, 1e-15);
}

TEST(Normal, MassOfAnIntervalKeepsItsDigitsInBothTails) {
  EXPECT_NEAR(normal_mass(-1, 1), 0.6826894921370859, 1e-15);
  EXPECT_NEAR(normal_mass(9, 10) / normal_mass(-10, -9), 1, 1e-12);
  EXPECT_GT(normal_mass(20, 21), 0);
  EXPECT_EQ(normal_mass(0.3, 0.3), 0);
}

const Domain kDense = FloatRange{.min = 0, .max = 1};
const Domain kFew = IntRange{.min = 1, .max = 7};
const Domain kFewLog = IntRange{.min = 1, .max = 30, .scale = Scale::log};
const Domain kMany = IntRange{.min = 1, .max = 200};
const Domain kManyLog = IntRange{.min = 1, .max = 1000, .scale = Scale::log};
const Domain kWords = Choice{{std::string("a"), std::string("b"), std::string("c")}};

std::vector<Coordinate> at(const Domain& domain, double u) {
  return {coordinate_of(domain, from_unit(domain, u))};
}

/// A mixture of `n` points along one axis, two of them equal.
Parzen mixture(const Domain& domain, int n) {
  Parzen parzen({axis_of(domain)});
  for (int i = 0; i < n; ++i)
    parzen.add(static_cast<std::uint64_t>(i), at(domain, i == 2 ? 0.618 : std::fmod(0.618 * i, 1)));
  return parzen;
}

double score(Parzen& parzen, const std::vector<Coordinate>& point) {
  double log_density = 0;
  parzen.score(point, {&log_density, 1});
  return log_density;
}

/// Sum of what the mixture gives to every value (the integral where they are dense). Dense axes
/// leave out the factor 1 / sqrt(2 pi).
double total(const Domain& domain, Parzen& parzen) {
  double sum = 0;
  if (const auto count = cardinality(domain)) {
    for (std::uint64_t i = 0; i < *count; ++i)
      sum += std::exp(score(parzen, {coordinate_of(domain, nth_value(domain, i))}));
    return sum;
  }
  constexpr int kSteps = 20'000;
  for (int i = 0; i < kSteps; ++i)
    sum += std::exp(score(parzen, {{.at = (i + 0.5) / kSteps, .cell = {}}})) / kSteps;
  return sum / std::sqrt(2 * std::numbers::pi);
}

TEST(Parzen, MassIsOne) {
  for (const Domain* domain : {&kDense, &kFew, &kFewLog, &kMany, &kManyLog, &kWords}) {
    for (int n : {0, 1, 2, 5, 40}) {
      Parzen parzen = mixture(*domain, n);
      EXPECT_NEAR(total(*domain, parzen), 1, 2e-3) << describe(*domain) << ", " << n << " points";
    }
  }
}

TEST(Parzen, DrawsFollowTheDensity) {
  for (const Domain* domain : {&kFew, &kFewLog, &kWords}) {
    Parzen parzen = mixture(*domain, 5);
    Stream stream(1, "draws");
    constexpr int kDraws = 20'000;
    std::vector<int> hits(*cardinality(*domain));
    for (int i = 0; i < kDraws; ++i) {
      double u = 0;
      parzen.sample(stream, {&u, 1});
      ++hits[*rank_of(*domain, from_unit(*domain, u))];
    }
    for (std::uint64_t i = 0; i < hits.size(); ++i) {
      const double wanted =
          std::exp(score(parzen, {coordinate_of(*domain, nth_value(*domain, i))}));
      EXPECT_NEAR(hits[i] / double(kDraws), wanted, 5 * std::sqrt(wanted / kDraws) + 1e-3)
          << describe(*domain) << " value " << i;
    }
  }
}

/// A mixture of normal kernels of equal weight on [-1, 1], cut off at its ends.
double mixture_at(double x, const std::vector<std::pair<double, double>>& kernels) {
  double sum = 0;
  for (const auto& [centre, width] : kernels) {
    const double t = (x - centre) / width;
    sum += std::exp(-t * t / 2) / width / normal_mass((-1 - centre) / width, (1 - centre) / width);
  }
  return sum / static_cast<double>(kernels.size());
}

TEST(Parzen, HasTheKernelsThatOptunaHas) {
  // Its estimator on [-1, 1] without end points: centres and widths of each kernel, the prior last.
  // Four points are held to 2 / (kernels + 1) or wider.
  struct Golden {
    std::vector<double> points;
    std::vector<std::pair<double, double>> kernels;
  };
  const Golden goldens[] = {{{}, {{0, 2}}},
                            {{0.4}, {{0.4, 1.4}, {0, 2}}},
                            {{-0.3, 0.3}, {{-0.3, 0.6}, {0.3, 0.6}, {0, 2}}},
                            {{-0.4, 0.4, 0.41, 0.42},
                             {{-0.4, 0.8}, {0.4, 0.8}, {0.41, 1.0 / 3}, {0.42, 1.0 / 3}, {0, 2}}}};
  const Domain domain = FloatRange{.min = -1, .max = 1};
  for (const Golden& golden : goldens) {
    Parzen parzen({axis_of(domain)});
    for (std::size_t i = 0; i < golden.points.size(); ++i) {
      const std::vector<Coordinate> point{coordinate_of(domain, golden.points[i])};
      parzen.add(i, point);
    }
    for (double x : {-1.0, -0.35, 0.0, 0.41, 0.8}) {
      // Widths on [0, 1] are half as large: twice the density.
      EXPECT_NEAR(score(parzen, {coordinate_of(domain, x)}),
                  std::log(2 * mixture_at(x, golden.kernels)), 1e-5)
          << golden.points.size() << " points, at " << x;
    }
  }
}

TEST(Parzen, TwoPointsByHand) {
  // Points 0.2 and 0.6: each as wide as the inner gap 0.4; the prior 0.5 as wide as 1.
  Parzen parzen({axis_of(kDense)});
  parzen.add(0, at(kDense, 0.2));
  parzen.add(1, at(kDense, 0.6));
  const auto kernel = [](double x, double centre, double width) {
    const double t = (x - centre) / width;
    return std::exp(-t * t / 2) / width / normal_mass(-centre / width, (1 - centre) / width);
  };
  for (double x : {0.0, 0.2, 0.35, 0.9}) {
    const double wanted = (kernel(x, 0.2, 0.4) + kernel(x, 0.6, 0.4) + kernel(x, 0.5, 1)) / 3;
    EXPECT_NEAR(score(parzen, at(kDense, x)), std::log(wanted), 1e-5) << x;
  }
}

TEST(Parzen, CategoriesByHand) {
  Parzen parzen({axis_of(kWords)});
  parzen.add(0, at(kWords, 0.1));
  parzen.add(1, at(kWords, 0.1));
  const double own = (1.0 / 3 + 1) / 2, other = (1.0 / 3) / 2;
  EXPECT_NEAR(score(parzen, at(kWords, 0.1)), std::log((2 * own + 1.0 / 3) / 3), 1e-6);
  EXPECT_NEAR(score(parzen, at(kWords, 0.9)), std::log((2 * other + 1.0 / 3) / 3), 1e-6);
}

TEST(Parzen, OldPointsWeighLess) {
  Parzen parzen({axis_of(kWords)});
  for (std::uint64_t i = 0; i < 60; ++i) parzen.add(i, at(kWords, i < 30 ? 0.1 : 0.9));
  EXPECT_LT(score(parzen, at(kWords, 0.1)), score(parzen, at(kWords, 0.9)) - 0.3);
}

TEST(Parzen, WhatWasTakenOutLeavesNothing) {
  const std::vector<Domain> domains{kDense, kFewLog, kMany, kWords};
  std::vector<Axis> axes;
  for (const Domain& d : domains) axes.push_back(axis_of(d));
  const auto point = [&](int i) {
    std::vector<Coordinate> p;
    for (std::size_t a = 0; a < domains.size(); ++a)
      p.push_back(at(domains[a], std::fmod(0.618 * (i + 1) * (double(a) + 1), 1))[0]);
    return p;
  };
  Parzen kept(axes), changed(axes);
  for (int i = 0; i < 150; ++i) {
    if (i % 3 == 0) kept.add(static_cast<std::uint64_t>(i), point(i));
    changed.add(static_cast<std::uint64_t>(i), point(i));
  }
  for (int i = 149; i >= 0; --i) {
    if (i % 3 != 0) changed.remove(static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(changed.size(), kept.size());
  for (int i = 0; i < 30; ++i)
    EXPECT_NEAR(score(changed, point(1000 + i)), score(kept, point(1000 + i)), 1e-5);
}

}  // namespace
}  // namespace hpo
