// How often a 95% interval holds the true difference: 1,000 tables each, the truth from 10^6 rows.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "nn/evaluation/answers.h"
#include "nn/evaluation/difference.h"
#include "nn/evaluation/measurement.h"

namespace {

constexpr int kTables = 1000;
constexpr double kLeast = 0.935, kMost = 0.965;

/// Rows of two classes or of a number, and what two predictors answer to them. Both see the truth
/// through noise, part of which they share. In a group, rows share most of the noise.
struct World {
  bool classes = true;
  std::size_t rows = 200;
  std::size_t group = 1;             ///< rows in a group
  double first = 0.8, second = 1.0;  ///< noise of each predictor
};

struct Drawn {
  nn::Judged first, second;
  std::vector<std::uint32_t> units;
};

Drawn draw(const World& world, std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::size_t width = world.classes ? 2 : 1;
  Drawn drawn;
  drawn.first.width = drawn.second.width = width;
  drawn.first.units = drawn.second.units = std::vector<double>(world.classes ? 0 : 1, 3.0);
  double group_noise = 0, group_truth = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % world.group == 0) {
      group_noise = normal(random);
      group_truth = normal(random);
    }
    const double share = world.group > 1 ? 0.8 : 0;
    const double rest = std::sqrt(1 - share * share);
    const double truth = share * group_truth + rest * normal(random);
    const double common = share * group_noise + rest * normal(random);
    const auto answer = [&](nn::Judged& judged, double noise) {
      const double seen = truth + noise * (0.7 * common + 0.7 * normal(random));
      if (world.classes) judged.outputs.push_back(0);
      judged.outputs.push_back(static_cast<float>(seen));
      if (world.classes)
        judged.labels.push_back(truth > 0.5);
      else
        judged.targets.push_back(static_cast<float>(truth));
    };
    answer(drawn.first, world.first);
    answer(drawn.second, world.second);
    if (world.group > 1) drawn.units.push_back(static_cast<std::uint32_t>(row / world.group));
  }
  return drawn;
}

nn::Difference judge(const std::string& metric, const Drawn& drawn) {
  const nn::Choice loss{"mse", {}};
  return nn::difference_of(nn::measure(metric, drawn.first, loss, {}),
                           nn::measure(metric, drawn.second, loss, {}), drawn.units, 0);
}

double true_difference(const std::string& metric, const World& world) {
  constexpr std::size_t kFresh = 1'000'000;
  Drawn fresh = draw(world, kFresh, 0);
  const nn::Choice loss{"mse", {}};
  const nn::Measurement first = nn::measure(metric, fresh.first, loss, {});
  return (first.maximize ? 1 : -1) *
         (first.value - nn::measure(metric, fresh.second, loss, {}).value);
}

void expect_coverage(const std::string& metric, const World& world) {
  const double truth = true_difference(metric, world);
  int held = 0;
  for (int table = 1; table <= kTables; ++table) {
    const nn::Difference found =
        judge(metric, draw(world, world.rows, static_cast<std::uint64_t>(table)));
    held += found.low <= truth && truth <= found.high;
  }
  const double share = static_cast<double>(held) / kTables;
  std::printf("%s, %zu rows in groups of %zu: true difference %.4f, held by %.1f%%\n",
              metric.c_str(), world.rows, world.group, truth, 100 * share);
  EXPECT_GE(share, kLeast) << metric;
  EXPECT_LE(share, kMost) << metric;
}

TEST(Coverage, OfAccuracy) { expect_coverage("accuracy", {}); }
TEST(Coverage, OfAccuracyOfEqualPredictors) { expect_coverage("accuracy", {.second = 0.8}); }
TEST(Coverage, OfAccuracyInGroups) { expect_coverage("accuracy", {.rows = 400, .group = 8}); }
TEST(Coverage, OfTheAreaUnderTheCurve) { expect_coverage("auc", {}); }
TEST(Coverage, OfBalancedAccuracy) { expect_coverage("balanced_accuracy", {}); }
TEST(Coverage, OfF1) { expect_coverage("f1", {}); }
TEST(Coverage, OfSquaredErrors) { expect_coverage("mse", {.classes = false}); }
TEST(Coverage, OfTheirRoot) { expect_coverage("rmse", {.classes = false}); }
TEST(Coverage, OfAbsoluteErrorsInGroups) {
  expect_coverage("mae", {.classes = false, .rows = 400, .group = 8});
}
TEST(Coverage, OfR2) { expect_coverage("r2", {.classes = false}); }

}  // namespace
