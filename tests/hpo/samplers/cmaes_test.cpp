// What cmaes does beyond the conformance tests: it learns the shape of a valley.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "hpo/samplers/symmetric.h"
#include "hpo/space/random.h"
#include "tests/hpo/samplers/searching.h"

namespace hpo {
namespace {

Space cube(std::size_t axes, const Domain& domain) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < axes; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .domain = domain});
  return Space(std::move(parameters));
}

std::vector<double> numbers(const Params& params) {
  std::vector<double> out;
  for (const auto& [name, value] : params) out.push_back(number_of(value).value());
  return out;
}

/// A sphere around 1 stretched up to a thousandfold, turned by 45 degrees in each pair of axes.
double turned_ellipsoid(const Params& params) {
  const std::vector<double> x = numbers(params);
  const auto last = static_cast<double>(x.size() - 1);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t other = i ^ 1U;
    const double sign = i % 2 == 0 ? 1 : -1;
    const double y = ((x[i] - 1) + sign * (x[other] - 1)) / std::numbers::sqrt2;
    sum += std::pow(1e6, static_cast<double>(i) / last) * y * y;
  }
  return sum;
}

TEST(Symmetric, EigenPairsAreTheMatrix) {
  const std::size_t n = 7;
  std::vector<double> m(n * n);
  Stream stream(1, "matrix");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) m[i * n + j] = m[j * n + i] = stream.normal();
  }
  const EigenPairs pairs = eigen_pairs(m, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double rebuilt = 0, product_ij = 0;
      for (std::size_t k = 0; k < n; ++k) {
        rebuilt += pairs.vectors[i * n + k] * pairs.values[k] * pairs.vectors[j * n + k];
        product_ij += pairs.vectors[k * n + i] * pairs.vectors[k * n + j];
      }
      EXPECT_NEAR(rebuilt, m[i * n + j], 1e-12);
      EXPECT_NEAR(product_ij, i == j ? 1 : 0, 1e-12);
    }
  }
}

TEST(Cmaes, LearnsTheShapeOfAValley) {
  const Space space = cube(6, FloatRange{.min = -5, .max = 5});
  EXPECT_LT(mean_best("cmaes", space, 3000, turned_ellipsoid), 1e-3);
  EXPECT_GT(mean_best("random", space, 3000, turned_ellipsoid), 1e2);
}

TEST(Cmaes, EightAtATimeFindItToo) {
  const Space space = cube(6, FloatRange{.min = -5, .max = 5});
  EXPECT_LT(mean_best("cmaes", space, 3000, turned_ellipsoid, 8), 1e-3);
}

TEST(Cmaes, IntsDoNotFreeze) {
  const Space space = cube(5, IntRange{.min = -10, .max = 10});
  const auto loss = [](const Params& params) {
    double sum = 0, weight = 1;
    for (const double x : numbers(params)) sum += (weight *= 4) * (x - 7) * (x - 7);
    return sum;
  };
  EXPECT_EQ(mean_best("cmaes", space, 1500, loss), 0);
}

TEST(Cmaes, IntsOfALogarithmDoNotFreezeInTheirWideCells) {
  std::vector<Parameter> parameters{
      {.name = "k", .domain = IntRange{.min = 1, .max = 64, .scale = Scale::log}}};
  for (int i = 0; i < 4; ++i)
    parameters.push_back(
        {.name = "x" + std::to_string(i), .domain = FloatRange{.min = 0, .max = 1}});
  const Space space(std::move(parameters));
  const auto loss = [](const Params& params) {
    const std::vector<double> x = numbers(params);
    double sum = 3e-4 * std::abs(std::log2(x[0] / 2));
    for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - 0.4) * (x[i] - 0.4);
    return sum;
  };
  int found = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    found += best_of("cmaes", space, seed, 600, loss) < 2e-4 ? 1 : 0;
  EXPECT_GE(found, 20) << "8 where all cells were taken for equally wide";
}

TEST(Cmaes, TwoHundredAxesAreScaledOneByOne) {
  const Space space = cube(200, FloatRange{.min = 0, .max = 1});
  const auto loss = [](const Params& params) {
    double sum = 0;
    for (const double x : numbers(params)) sum += (x - 0.3) * (x - 0.3);
    return sum;
  };
  EXPECT_LT(best_of("cmaes", space, 1, 2000, loss), 0.3 * best_of("random", space, 1, 2000, loss));
}

TEST(Cmaes, BeginsAgainWhereNothingIsLeftToLearn) {
  // Rastrigin's function: a bowl with a valley around each whole number. One descent ends in some
  // valley near the best one; several find it.
  const Space space = cube(2, FloatRange{.min = -5, .max = 5});
  const auto loss = [](const Params& params) {
    double sum = 0;
    for (const double x : numbers(params))
      sum += 10 + (x - 1) * (x - 1) - 10 * std::cos(2 * std::numbers::pi * (x - 1));
    return sum;
  };
  int soon = 0, late = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    soon += best_of("cmaes", space, seed, 400, loss) < 0.5;
    late += best_of("cmaes", space, seed, 8000, loss) < 0.5;
  }
  EXPECT_LE(soon, 5);
  EXPECT_GE(late, 8);
}

TEST(Cmaes, BeginsAgainBesideAnInt) {
  // Rastrigin's function again, and a whole number that never stands still.
  std::vector<Parameter> parameters = cube(2, FloatRange{.min = -5, .max = 5}).parameters();
  parameters.push_back({.name = "n", .domain = IntRange{.min = 0, .max = 10}});
  const Space space(parameters);
  const auto loss = [](const Params& params) {
    const std::vector<double> x = numbers(params);
    double sum = 0;
    for (const double at : {x[0], x[1]})
      sum += 10 + (at - 1) * (at - 1) - 10 * std::cos(2 * std::numbers::pi * (at - 1));
    return sum + (x[2] - 4) * (x[2] - 4);
  };
  int found = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    found += best_of("cmaes", space, seed, 8000, loss) < 0.5;
  EXPECT_GE(found, 8);
}

TEST(Cmaes, SaysWhatItCannotDo) {
  Params options;
  options.set("population", std::int64_t{0});
  const Space words({{.name = "c", .domain = Choice{{std::string("a"), std::string("b")}}}});
  EXPECT_NE(sampler_refuses("cmaes", words, options), "");
  const Space one = cube(1, FloatRange{.min = 0, .max = 1});
  EXPECT_EQ(sampler_refuses("cmaes", one, options), "");
  options.set("population", std::int64_t{3});
  EXPECT_NE(sampler_refuses("cmaes", one, options), "");
}

}  // namespace
}  // namespace hpo
