// The simplest predictors.

#include "nn/evaluation/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/evaluation/few_rows.h"
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

/// 60 rows of 1,100 columns, all of which follow the class or number a little.
nn::Dataset wide(bool classes) {
  std::string text;
  for (int c = 0; c < 1100; ++c) text += "f" + std::to_string(c) + ",";
  text += "y\n";
  for (int i = 0; i < 60; ++i) {
    const int y = i * 7 % 20;
    for (int c = 0; c < 1100; ++c)
      text +=
          std::to_string((i * i * 31 + c * 17 + i * c * c % 89) % 97 + (y - 10) * (c % 5)) + ",";
    text += classes ? (y < 10 ? "low\n" : "high\n") : std::to_string(y) + ".5\n";
  }
  return load(text);
}

double input(const nn::Dataset& data, std::uint32_t row, std::size_t column) {
  const std::size_t at = row * data.cols() + column;
  const float x = data.x_u8().empty() ? data.x_f32()[at] : data.x_u8()[at];
  return static_cast<double>((x - data.shift()[column]) * data.scale()[column]);
}

TEST(FewRows, KeepProductsOfRowsAndAnswers) {
  kern::prepare_thread();
  for (const bool classes : {true, false}) {
    const nn::Dataset data = wide(classes);
    const nn::FewRows few(*kern::cpu_kernels().algebra, data);
    const nn::DataView view = few.view();
    const auto rows = data.part(nn::Part::train);
    ASSERT_EQ(view.rows.size(), rows.size());
    ASSERT_LE(few.width(), rows.size());
    ASSERT_GT(few.width(), rows.size() / 2);
    const std::size_t outputs = data.outputs();
    std::vector<float> weights, back(data.cols() * outputs);
    for (std::size_t i = 0; i < few.width() * outputs; ++i)
      weights.push_back(static_cast<float>(i * 37 % 11) - 5);
    few.turn_back(weights, back);
    for (const std::size_t i : {0U, 7U, 20U}) {
      for (const std::size_t j : {0U, 3U}) {
        double whole = 0, turned = 0;
        for (std::size_t c = 0; c < data.cols(); ++c)
          whole += input(data, rows[i], c) * input(data, rows[j], c);
        for (std::size_t v = 0; v < few.width(); ++v)
          turned += static_cast<double>(view.f32[i * few.width() + v]) *
                    static_cast<double>(view.f32[j * few.width() + v]);
        EXPECT_NEAR(turned, whole, 1e-3 * (1 + std::abs(whole)));
      }
      double whole = 0, turned = 0;
      for (std::size_t c = 0; c < data.cols(); ++c)
        whole += input(data, rows[i], c) * static_cast<double>(back[c * outputs]);
      for (std::size_t v = 0; v < few.width(); ++v)
        turned += static_cast<double>(view.f32[i * few.width() + v]) *
                  static_cast<double>(weights[v * outputs]);
      EXPECT_NEAR(turned, whole, 1e-2 * (1 + std::abs(whole)));
    }
  }
}

TEST_F(Baselines, WideTablesAreFittedInTheSpanOfTheirRows) {
  EXPECT_GT(score(wide(true), Baseline::linear, nn::Part::train).accuracy, 0.99);
  EXPECT_GT(score(wide(true), Baseline::linear, nn::Part::test).accuracy, 0.9);
  EXPECT_GT(r2(wide(false), Baseline::linear, nn::Part::test), 0.9);
  const nn::Dataset data = wide(true);
  EXPECT_TRUE(std::ranges::equal(fit(data, Baseline::linear).weights(),
                                 fit(data, Baseline::linear).weights()));
}

TEST(BaselineWork, GrowsWithClassesAndStaysSmallInWideTables) {
  nn::Dataset::Header header;
  header.class_names = {"p", "q"};
  header.train_rows = 38;
  header.cols = 20000;
  EXPECT_LT(nn::baseline_work(header), 1e9);
  header.train_rows = 5000;
  header.cols = 3;
  EXPECT_LT(nn::baseline_work(header), 1e9);
  header.class_names.resize(5000);
  EXPECT_GT(nn::baseline_work(header), 4e9);
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
