// The simplest predictors.

#include "nn/evaluation/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/training/train.h"
#include "tests/nn/data/files.h"

namespace {

using nn::Baseline;
using nn_test::CsvFile;

class Baselines : public testing::Test {
 protected:
  Baselines() { kern::prepare_thread(); }

  nn::ParamSlab fit(const nn::Dataset& data, Baseline kind) {
    return nn::fit_baseline(kern::cpu_kernels(), workspace, data, kind);
  }
  nn::Scores score(const nn::Dataset& data, Baseline kind, nn::Part part) {
    const nn::ParamSlab net = fit(data, kind);
    return nn::evaluate(kern::cpu_kernels(), workspace, net, data.view(part),
                        {data.is_classification() ? "cross_entropy" : "mse", {}});
  }
  double r2(const nn::Dataset& data, Baseline kind, nn::Part part) {
    const nn::Scores scores = score(data, kind, part);
    for (const auto& [name, value] : scores.metrics) {
      if (name == "r2") return value;
    }
    return NAN;
  }
  nn::Workspace workspace;
};

nn::Dataset load(const std::string& text) {
  CsvFile file(text);
  file.spec.split = {.valid = 0.2, .test = 0.2};
  file.spec.scale = nn::Scale::standard;
  return file.load();
}

/// 3 of 4 rows are of one class; the sign of a sum tells which.
nn::Dataset classes() {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 400; ++i) {
    const int a = i * 37 % 101, b = i * 53 % 97;
    text += std::to_string(a) + "," + std::to_string(b) + (a + b > 65 ? ",many\n" : ",few\n");
  }
  return load(text);
}

/// y = 3 a - 2 b + 7, exactly.
nn::Dataset numbers() {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 400; ++i) {
    const int a = i * 37 % 101, b = i * 53 % 97;
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(3 * a - 2 * b + 7) +
            ".5\n";
  }
  return load(text);
}

TEST_F(Baselines, TheMajorityClassIsAsFrequentAsItIs) {
  const nn::Dataset data = classes();
  const nn::Scores scores = score(data, Baseline::constant, nn::Part::valid);
  std::size_t many = 0;
  for (const auto row : data.part(nn::Part::valid)) many += data.labels()[row] == 1 ? 1 : 0;
  const double share = static_cast<double>(many) / 80;
  EXPECT_GT(share, 0.6);
  EXPECT_DOUBLE_EQ(scores.accuracy, share);
  EXPECT_NEAR(scores.loss, -share * std::log(share) - (1 - share) * std::log(1 - share), 0.01);
}

TEST_F(Baselines, LogisticRegressionFindsTheLine) {
  EXPECT_GT(score(classes(), Baseline::linear, nn::Part::test).accuracy, 0.97);
}

TEST_F(Baselines, TheMeanExplainsNothing) {
  EXPECT_NEAR(r2(numbers(), Baseline::constant, nn::Part::train), 0, 1e-6);
}

TEST_F(Baselines, RidgeRegressionSolvesWhatIsLinear) {
  const nn::Dataset data = numbers();
  EXPECT_GT(r2(data, Baseline::linear, nn::Part::test), 0.9999);
  // (X^T X + I) w = X^T y, with both columns of X standardised over 240 rows.
  const nn::ParamSlab net = fit(data, Baseline::linear);
  const double ratio = static_cast<double>(net.weights()[0] / net.weights()[1]);
  const double deviations = static_cast<double>(data.scale()[1] / data.scale()[0]);
  EXPECT_NEAR(ratio, -1.5 * deviations, 0.02);
}

TEST_F(Baselines, RidgeRegressionSolvesEachOfSeveralTargets) {
  std::string text = "a,y,b,z\n";
  for (int i = 0; i < 400; ++i) {
    const int a = i * 37 % 101, b = i * 53 % 97;
    text += std::to_string(a) + "," + std::to_string(2 * a + b) + "," + std::to_string(b) + "," +
            std::to_string(100 * b - a) + "\n";
  }
  CsvFile file(text);
  file.spec.targets = {"y", "z"};
  file.spec.split = {.valid = 0.2, .test = 0.2};
  const nn::Dataset data = file.load();
  EXPECT_GT(r2(data, Baseline::linear, nn::Part::test), 0.9999);
  EXPECT_NEAR(r2(data, Baseline::constant, nn::Part::train), 0, 1e-6);
}

TEST_F(Baselines, AreTheSameEveryTime) {
  const nn::Dataset data = classes();
  const nn::ParamSlab one = fit(data, Baseline::linear), two = fit(data, Baseline::linear);
  EXPECT_TRUE(std::ranges::equal(one.weights(), two.weights()));
}

TEST(BaselineNames, SayWhatTheyAre) {
  EXPECT_EQ(nn::name_of(Baseline::constant, nn::LearningTask::classification), "majority class");
  EXPECT_EQ(nn::name_of(Baseline::linear, nn::LearningTask::regression), "ridge regression");
}

}  // namespace
