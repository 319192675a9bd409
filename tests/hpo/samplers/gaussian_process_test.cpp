// The parts of Bayesian optimisation, each against what it should be.

#include "hpo/samplers/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hpo/samplers/cholesky.h"
#include "hpo/samplers/improvement.h"
#include "hpo/samplers/minimise.h"
#include "hpo/samplers/surrogate.h"
#include "hpo/samplers/vectors.h"
#include "hpo/space/random.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

/// B B' + 1 for a random B.
Matrix positive(std::size_t n) {
  Stream stream(1, "matrix", static_cast<std::uint64_t>(n));
  std::vector<double> b(n * n);
  for (double& x : b) x = stream.normal();
  Matrix a(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) a.row(i)[j] += b[i * n + k] * b[j * n + k];
    }
    a.row(i)[i] += 1;
  }
  return a;
}

TEST(Cholesky, SolvesAndInverts) {
  for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 33U}) {
    const Matrix a = positive(n);
    const Cholesky factor(a);
    const Matrix inverse = factor.inverse();
    std::vector<double> x(padded(n));
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i) - 3;
    const std::vector<double> right = x;
    factor.solve_lower(x);
    factor.solve_upper(x);
    for (std::size_t i = 0; i < n; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < n; ++j) product += a.row(i)[j] * x[j];
      EXPECT_NEAR(product, right[i], 1e-9) << n;
      for (std::size_t j = 0; j < n; ++j) {
        double one = 0;
        for (std::size_t k = 0; k < n; ++k) one += a.row(i)[k] * inverse.row(k)[j];
        EXPECT_NEAR(one, i == j ? 1 : 0, 1e-9) << n;
      }
    }
  }
}

/// Row by row, one row before after another.
Matrix plain_factor(Matrix a) {
  for (std::size_t k = 0; k < a.size; ++k) {
    const double root = std::sqrt(a.row(k)[k]);
    for (std::size_t j = 0; j < a.size; ++j) a.row(k)[j] = j < k ? 0 : a.row(k)[j];
    a.row(k)[k] = root;
    for (std::size_t j = k + 1; j < a.size; ++j) a.row(k)[j] /= root;
    for (std::size_t i = k + 1; i < a.size; ++i) {
      for (std::size_t j = i; j < a.size; ++j) a.row(i)[j] -= a.row(k)[i] * a.row(k)[j];
    }
  }
  return a;
}

TEST(Cholesky, HasTheBitsOfAPlainOneAlsoWhenRowsAreAppended) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 8U, 9U, 16U, 23U, 40U, 41U}) {
    const Matrix a = positive(n), plain = plain_factor(a);
    Cholesky appended;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> column;
      for (std::size_t i = 0; i <= k; ++i) column.push_back(a.row(i)[k]);
      appended.append(column);
    }
    ASSERT_EQ(appended.size(), n);
    for (const Cholesky& factor : {Cholesky(a), appended}) {
      std::vector<double> x(padded(n)), expected(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = expected[i] = std::sin(static_cast<double>(i));
      factor.solve_lower(x);
      for (std::size_t k = 0; k < n; ++k) {
        expected[k] /= plain.row(k)[k];
        for (std::size_t j = k + 1; j < n; ++j) expected[j] -= plain.row(k)[j] * expected[k];
        EXPECT_EQ(x[k], expected[k]) << n;
      }
      double log_diagonal = 0;
      for (std::size_t k = 0; k < n; ++k) log_diagonal += std::log(plain.row(k)[k]);
      EXPECT_EQ(factor.log_diagonal(), log_diagonal) << n;
    }
  }
}

TEST(Cholesky, KnowsTheDeterminant) {
  Matrix a(2);
  a.row(0)[0] = 4, a.row(0)[1] = a.row(1)[0] = 2, a.row(1)[1] = 5;
  EXPECT_NEAR(Cholesky(a).log_diagonal(), 0.5 * std::log(16.0), 1e-14);
}

TEST(Minimise, FindsTheFloorOfRosenbrocksValley) {
  const Smooth valley = [](std::span<const double> x, std::span<double> g) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  const Effort effort{.most_steps = 200, .gradient = 1e-6};
  const auto free = minimise(valley, {-1.2, 1}, {{-5, -5}, {5, 5}}, effort);
  EXPECT_NEAR(free[0], 1, 1e-4);
  EXPECT_NEAR(free[1], 1, 1e-4);
  // Held at x <= 0.5, the best is (0.5, 0.25).
  const auto held = minimise(valley, {-1.2, 1}, {{-5, -5}, {0.5, 5}}, effort);
  EXPECT_NEAR(held[0], 0.5, 1e-6);
  EXPECT_NEAR(held[1], 0.25, 1e-4);
}

/// The integral of (best - x)+ under the normal density, by a fine sum.
double improvement_by_sum(double mean, double deviation, double best) {
  double sum = 0;
  constexpr double kStep = 1e-4;
  for (double z = -12; z < 12; z += kStep) {
    const double gain = best - (mean + deviation * z);
    if (gain > 0) sum += gain * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) * kStep;
  }
  return sum;
}

TEST(Improvement, IsTheExpectedOne) {
  for (const auto& [mean, deviation, best] :
       {std::tuple{0.0, 1.0, 0.5}, std::tuple{2.0, 0.5, 1.0}, std::tuple{-1.0, 2.0, 3.0},
        std::tuple{4.0, 1.0, 0.0}})
    EXPECT_NEAR(log_improvement(mean, deviation, best).log,
                std::log(improvement_by_sum(mean, deviation, best)), 1e-4);
}

TEST(Improvement, StaysFiniteAndSmoothWhereNearlyNothingIsExpected) {
  double before = 1;
  for (const double mean : {0.0, 0.9, 1.1, 3.0, 4.9, 5.1, 30.0, 900.0, 1100.0, 1e6}) {
    const Improvement gain = log_improvement(mean, 1, 0);
    EXPECT_TRUE(std::isfinite(gain.log)) << mean;
    EXPECT_LT(gain.log, before) << mean;
    before = gain.log;
    const double h = 1e-5 * std::max(1.0, mean);
    const double by_mean =
        (log_improvement(mean + h, 1, 0).log - log_improvement(mean - h, 1, 0).log) / (2 * h);
    const double by_deviation =
        (log_improvement(mean, 1 + 1e-6, 0).log - log_improvement(mean, 1 - 1e-6, 0).log) / 2e-6;
    EXPECT_NEAR(gain.by_mean, by_mean, 1e-3 * std::abs(by_mean) + 1e-6) << mean;
    EXPECT_NEAR(gain.by_deviation, by_deviation, 1e-3 * std::abs(by_deviation) + 1e-6) << mean;
  }
}

struct Sample {
  Points points{{Along::numbers, Along::numbers, Along::words}};
  std::vector<double> values;
};

Sample sample(std::size_t n) {
  Sample made;
  Stream stream(3, "sample");
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool absent = i % 5 == 4;
    const Feature x{.at = stream.uniform()},
        y{.at = absent ? 0.5 : stream.uniform(), .absent = absent};
    const Feature word{.at = static_cast<double>(i % 3)};
    made.points.add(std::vector{x, y, word});
    made.values.push_back(std::sin(5 * x.at) + y.at * y.at + (i % 3 == 1 ? 0.7 : 0));
  }
  for (const double v : made.values) sum += v;
  for (double& v : made.values) v -= sum / static_cast<double>(n), squares += v * v;
  for (double& v : made.values) v /= std::sqrt(squares / static_cast<double>(n));
  return made;
}

TEST(GaussianProcess, HasTheSameBitsWhereItsPointsCameOneByOne) {
  const Sample all = sample(45);
  const Shape shape{.inverse = {3, 4, 2}, .scale = 1.2, .noise = 1e-4};
  const auto point = [&](std::size_t i) {
    std::vector<Feature> features;
    for (std::size_t axis = 0; axis < 3; ++axis) features.push_back(all.points.feature(axis, i));
    return features;
  };
  Points first{{Along::numbers, Along::numbers, Along::words}};
  for (std::size_t i = 0; i < 3; ++i) first.add(point(i));
  GaussianProcess grown(first, std::span(all.values).first(3), shape);
  for (std::size_t i = 3; i < 45; ++i) grown.add(point(i));
  grown.learn(all.values);
  GaussianProcess whole(all.points, all.values, shape);
  ASSERT_EQ(grown.size(), 45U);
  Stream stream(4, "places");
  for (int i = 0; i < 50; ++i) {
    const std::vector<Feature> x{{.at = stream.uniform()},
                                 {.at = stream.uniform(), .absent = i % 4 == 0},
                                 {.at = static_cast<double>(i % 3)}};
    const Belief a = grown.at(x), b = whole.at(x);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.deviation, b.deviation);
    EXPECT_EQ(grown.mean(x), b.mean);
  }
}

TEST(GaussianProcess, RemembersAndForetells) {
  const Sample all = sample(60);
  Points first({Along::numbers, Along::numbers, Along::words});
  for (std::size_t i = 0; i < 45; ++i)
    first.add(
        std::vector{all.points.feature(0, i), all.points.feature(1, i), all.points.feature(2, i)});
  const std::span<const double> known = std::span(all.values).first(45);
  GaussianProcess model(first, known, fitted(first, known));
  double inside = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const Belief belief = model.at(
        std::vector{all.points.feature(0, i), all.points.feature(1, i), all.points.feature(2, i)});
    EXPECT_NEAR(belief.mean, all.values[i], i < 45 ? 0.02 : 0.4) << i;
    inside += std::abs(belief.mean - all.values[i]) < 3 * belief.deviation + 0.01;
  }
  EXPECT_GE(inside, 57);
}

TEST(GaussianProcess, SlopesAreThoseOfMeanAndDeviation) {
  const Sample all = sample(30);
  GaussianProcess model(all.points, all.values, fitted(all.points, all.values));
  std::vector<Feature> x{{.at = 0.31}, {.at = 0.62}, {.at = 1}};
  std::vector<double> mean(3), deviation(3);
  (void)model.at(x, mean, deviation);
  constexpr double kStep = 1e-5;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    auto up = x, down = x;
    up[axis].at += kStep, down[axis].at -= kStep;
    const Belief a = model.at(up), b = model.at(down);
    EXPECT_NEAR(mean[axis], (a.mean - b.mean) / (2 * kStep), 1e-4);
    EXPECT_NEAR(deviation[axis], (a.deviation - b.deviation) / (2 * kStep), 1e-4);
  }
  EXPECT_EQ(mean[2], 0);
}

Merit merit(int group, double loss, std::uint64_t trial) {
  return {.group = group, .step = 0, .loss = loss, .trial = trial};
}

TEST(Tamed, OneOverflowDoesNotHideTheRest) {
  const std::vector<Merit> trials{merit(0, 1, 0),
                                  merit(0, 2, 1),
                                  merit(0, 3, 2),
                                  merit(0, 1e300, 3),
                                  merit(Merit::kFailed, 0, 4),
                                  merit(0, -INFINITY, 5),
                                  merit(1, 0.5, 6)};
  const std::vector<double> y = tamed(trials, {.middle = 2, .spread = 1});
  EXPECT_LT(y[0], y[1]);
  EXPECT_LT(y[1], y[2]);
  EXPECT_LT(y[2], y[3]);
  EXPECT_LE(y[3], y[4]);
  EXPECT_LE(y[5], y[0]) << "as good as the best that is a number";
  EXPECT_EQ(y[6], y[1]) << "a stopped trial counts as middling at best";
  EXPECT_LT((y[4] - y[1]) / (y[1] - y[0]), 4.001);
}

TEST(Remembered, TheBestHalfAndTheNewestHalf) {
  std::vector<Merit> ended;
  for (std::uint64_t i = 0; i < 20; ++i) ended.push_back(merit(0, i == 3 || i == 9 ? 0 : 1, i));
  std::vector<std::uint64_t> kept;
  for (const Merit& m : remembered(ended, 4)) kept.push_back(m.trial);
  EXPECT_EQ(kept, (std::vector<std::uint64_t>{3, 9, 18, 19}));
}

TEST(Features, AnAbsentParameterIsAsFarFromEachValue) {
  const Space space = spaces::conditional();
  const Features features(space);
  Points points(features.along());
  points.add(features.of(Params{{"optimizer", std::string("adam")}}));
  std::vector<double> far(padded(1));
  for (const double momentum : {0.0, 0.8}) {
    const auto x = features.of(Params{{"optimizer", std::string("sgd")}, {"momentum", momentum}});
    far.assign(far.size(), 0);
    points.add_distances(1, x[1], 1, far.data());
    EXPECT_NEAR(far[0], 0.25 + (1.0 / 3) * (1.0 / 3), 1e-12);
  }
}

}  // namespace
}  // namespace hpo
