// Calibrations: known temperatures and thresholds are found again, and what they are applied to.

#include "nn/evaluation/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace {

/// Rows of `classes` whose label is drawn from the probabilities of their logits, the first class
/// `ahead` in all rows; the logits are then multiplied by `factor`.
nn::Judged drawn(std::size_t rows, std::size_t classes, double factor, double ahead = 0,
                 std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1.5);
  std::uniform_real_distribution<double> uniform;
  nn::Judged judged{.width = classes, .outputs = {}, .labels = {}, .targets = {}, .units = {}};
  std::vector<double> shares(classes);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<float> logits;
    for (std::size_t c = 0; c < classes; ++c)
      logits.push_back(static_cast<float>(normal(random) + (c == 0 ? ahead : 0)));
    nn::probabilities(logits, shares);
    double left = uniform(random);
    std::int32_t label = 0;
    while (label + 1 < static_cast<std::int32_t>(classes) &&
           left >= shares[static_cast<std::size_t>(label)])
      left -= shares[static_cast<std::size_t>(label++)];
    judged.labels.push_back(label);
    for (const float logit : logits)
      judged.outputs.push_back(static_cast<float>(logit * static_cast<float>(factor)));
  }
  return judged;
}

/// Rows that were given the first of two classes with a probability of `confidence`.
nn::Judged sure(double confidence, int right, int wrong) {
  nn::Judged judged{.width = 2, .outputs = {}, .labels = {}, .targets = {}, .units = {}};
  for (int row = 0; row < right + wrong; ++row) {
    judged.outputs.push_back(static_cast<float>(std::log(confidence / (1 - confidence))));
    judged.outputs.push_back(0);
    judged.labels.push_back(row < right ? 0 : 1);
  }
  return judged;
}

nn::Calibration calibrated(const nn::Judged& judged, std::string_view metric,
                           std::vector<std::uint32_t> units = {}) {
  return nn::calibrate({.answers = {.width = judged.width, .outputs = judged.outputs},
                        .labels = judged.labels,
                        .units = std::move(units)},
                       metric);
}

TEST(CalibratedAnswers, FindsTheTemperatureThatAnswersWereMadeWith) {
  for (const std::size_t classes : {2U, 3U, 10U}) {
    for (const double made : {0.5, 2.0, 4.0}) {
      const nn::Judged judged = drawn(20000, classes, made);
      EXPECT_NEAR(calibrated(judged, "loss").temperature, made, 0.05 * made)
          << classes << " classes";
    }
  }
}

TEST(CalibratedAnswers, LeavesWhatIsCalibratedAlone) {
  for (const std::size_t rows : {200U, 20000U})
    EXPECT_NEAR(calibrated(drawn(rows, 3, 1), "accuracy").temperature, 1, 0.05) << rows;
  EXPECT_EQ(calibrated(drawn(20000, 2, 1), "accuracy").threshold, 0.5);
}

TEST(CalibratedAnswers, AnswersWithoutAMistakeHaveAFiniteTemperature) {
  nn::Judged judged = sure(0.9, 50, 0);
  const double temperature = calibrated(judged, "accuracy").temperature;
  EXPECT_LT(temperature, 1);
  EXPECT_GT(temperature, 0.3);
  // The smoothed share of rows that are right.
  const nn::Judged after = nn::with_temperature(judged, {.temperature = temperature});
  EXPECT_NEAR(nn::calibration_error(after), 1.0 / 52, 1e-4);
}

TEST(CalibratedAnswers, ARareClassGetsAThresholdByBalancedAccuracy) {
  const nn::Judged judged = drawn(5000, 2, 1, 4);
  // Of calibrated answers the best threshold is the share of the class.
  const double share = static_cast<double>(std::ranges::count(judged.labels, 1)) / 5000;
  ASSERT_LT(share, 0.1);
  for (const char* metric : {"auc", "balanced_accuracy"})
    EXPECT_NEAR(calibrated(judged, metric).threshold, share, 0.5 * share) << metric;
  const double by_f1 = calibrated(judged, "f1").threshold;
  EXPECT_GT(by_f1, share);
  EXPECT_LT(by_f1, 0.5);
}

TEST(CalibratedAnswers, ChanceSeldomMovesTheThreshold) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    moved += calibrated(drawn(500, 2, 1, 0.5, seed), "accuracy").threshold != 0.5;
  EXPECT_LE(moved, 3) << "of 40 tables; one in forty is expected";
}

TEST(CalibratedAnswers, AThresholdThatRowsOfOneGroupAskForIsNotTaken) {
  const nn::Judged judged = drawn(400, 2, 1, 4);
  const std::vector<std::uint32_t> one_group(400, 7);
  EXPECT_NE(calibrated(judged, "auc").threshold, 0.5);
  EXPECT_EQ(calibrated(judged, "auc", one_group).threshold, 0.5);
}

TEST(CalibratedAnswers, TooLittleToFitIsLeftAlone) {
  const nn::Calibration none{};
  EXPECT_EQ(nn::calibrate({.answers = {.width = 2, .outputs = {}}}, "accuracy"), none);
  EXPECT_EQ(calibrated(sure(0.9, 1, 0), "accuracy"), none);
  nn::Judged broken = drawn(100, 2, 3);
  broken.outputs[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(calibrated(broken, "accuracy"), none);
}

TEST(CalibratedAnswers, ErrorIsTheDistanceOfConfidenceAndShare) {
  EXPECT_NEAR(nn::calibration_error(sure(0.8, 80, 20)), 0, 1e-6);
  EXPECT_NEAR(nn::calibration_error(sure(0.8, 50, 50)), 0.3, 1e-6);
  EXPECT_TRUE(std::isnan(nn::calibration_error(sure(0.8, 0, 0))));
  // Half of the rows are too sure, and half not sure enough: bins tell them apart.
  nn::Judged mixed = sure(0.95, 160, 40);
  const nn::Judged other = sure(0.55, 140, 60);
  mixed.outputs.insert(mixed.outputs.end(), other.outputs.begin(), other.outputs.end());
  mixed.labels.insert(mixed.labels.end(), other.labels.begin(), other.labels.end());
  EXPECT_NEAR(nn::calibration_error(mixed), 0.15, 0.03);
}

TEST(CalibratedAnswers, OverconfidentAnswersGetATenthOfTheirError) {
  const nn::Judged judged = drawn(20000, 5, 4);
  const nn::Calibration fitted = calibrated(judged, "accuracy");
  const double before = nn::calibration_error(judged);
  EXPECT_GT(before, 0.1);
  EXPECT_LT(nn::calibration_error(nn::with_temperature(judged, fitted)), before / 10);
}

TEST(CalibratedAnswers, NoneChangesNoBit) {
  const nn::Judged judged = drawn(100, 2, 3);
  EXPECT_EQ(nn::with_temperature(judged, {}).outputs, judged.outputs);
  EXPECT_EQ(nn::with_threshold(judged, {}).outputs, judged.outputs);
}

TEST(CalibratedAnswers, FiguresHaveTheMetricsOfClassesBesideAThreshold) {
  const nn::Judged judged = drawn(1000, 2, 1, 3);
  const auto names = [&](const nn::Calibration& calibration) {
    std::vector<std::string> out;
    for (const auto& [name, value] : nn::calibration_figures(judged, calibration))
      out.push_back(name);
    return out;
  };
  EXPECT_EQ(names({}),
            (std::vector<std::string>{"calibration_error", "calibrated.calibration_error"}));
  EXPECT_EQ(names({.threshold = 0.1}),
            (std::vector<std::string>{"calibration_error", "calibrated.calibration_error",
                                      "calibrated.accuracy", "calibrated.balanced_accuracy",
                                      "calibrated.f1"}));
  const auto balanced = [&](double threshold) {
    return nn::calibration_figures(judged, {.threshold = threshold})[3].second;
  };
  EXPECT_GT(balanced(0.1), balanced(0.4));
}

TEST(CalibratedAnswers, OfFoldsAreTakenTogether) {
  const nn::LabelledAnswers first{
      .answers = {.width = 2, .outputs = {1, 2, 3, 4}}, .labels = {0, 1}, .units = {0, 4}};
  const nn::LabelledAnswers second{
      .answers = {.width = 2, .outputs = {5, 6}}, .labels = {1}, .units = {0}};
  const nn::LabelledAnswers both = nn::joined(first, second);
  EXPECT_EQ(both.answers.outputs, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(both.labels, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(both.units, (std::vector<std::uint32_t>{0, 4, 5}));
}

TEST(CalibratedAnswers, IsReadBackFromItsText) {
  for (const nn::Calibration& one :
       {nn::Calibration{}, nn::Calibration{.temperature = 0.0625, .threshold = 1e-6},
        nn::Calibration{.temperature = 20, .threshold = 0.9997}})
    EXPECT_EQ(nn::calibration_from_json(nn::calibration_json(one)), one);
  for (const char* text :
       {"", "[]", "{}", R"({"temperature": 1})", R"({"temperature": 0, "threshold": 0.5})",
        R"({"temperature": 1, "threshold": 1})", R"({"temperature": 1e300, "threshold": 0.5})",
        R"({"temperature": "1", "threshold": 0.5})"})
    EXPECT_THROW((void)nn::calibration_from_json(text), base::Error) << text;
}

}  // namespace
