// Gradient-boosted trees by the library, where it is installed.

#include "nn/evaluation/boosted_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "nn/data/dataset.h"
#include "tests/nn/data/files.h"

namespace {

/// 600 rows of two inputs and what `answer` makes of them; 120 each to validate and to test.
nn::Dataset table(const std::function<std::string(double, double)>& answer, double valid = 0.2) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 600; ++i) {
    const double a = i * 37 % 601 / 601.0, b = i * 211 % 599 / 599.0;
    text += std::to_string(a) + "," + std::to_string(b) + "," + answer(a, b) + "\n";
  }
  nn_test::CsvFile file(text);
  file.spec.split = {.valid = valid, .test = 0.2};
  return file.load();
}

double accuracy(const nn::Dataset& data, const nn::BoostedTrees& trees) {
  const nn::Answers answers = nn::tree_answers(trees, data, nn::Part::test);
  EXPECT_EQ(answers.width, data.outputs());
  return nn::scores_of(answers, data.view(nn::Part::test), {"cross_entropy", {}}).accuracy;
}

class Trees : public testing::Test {
 protected:
  void SetUp() override {
    if (nn::trees_library().empty()) GTEST_SKIP() << "the library XGBoost is not installed";
  }
};

TEST_F(Trees, FindASquareOfTwoClasses) {
  const auto square = [](double a, double b) { return (a > 0.5) != (b > 0.5) ? "x" : "o"; };
  const nn::Dataset data = table(square);
  const nn::BoostedTrees trees = nn::fit_trees(data, {});
  EXPECT_GT(accuracy(data, trees), 0.95);
  EXPECT_EQ(trees, nn::fit_trees(data, {})) << "not the same bits twice";
  EXPECT_LT(trees.rounds[0], 100) << "nothing was gained, and boosting did not stop";
}

TEST_F(Trees, TellThreeClassesApart) {
  const nn::Dataset data = table([](double a, double b) {
    return a + b < 0.7 ? "low" : a + b < 1.3 ? "mid" : "top";
  });
  EXPECT_GT(accuracy(data, nn::fit_trees(data, {})), 0.9);
}

TEST_F(Trees, PredictNumbersInTheScaleOfTheData) {
  const nn::Dataset data =
      table([](double a, double b) { return std::to_string(1000 + 50 * std::floor(4 * a) + b); });
  const nn::Answers answers = nn::tree_answers(nn::fit_trees(data, {}), data, nn::Part::test);
  const nn::Scores scores = nn::scores_of(answers, data.view(nn::Part::test), {"mse", {}});
  const auto rmse =
      std::ranges::find(scores.metrics, "rmse", [](const auto& m) { return m.first; });
  ASSERT_NE(rmse, scores.metrics.end());
  EXPECT_LT(rmse->second, 10);
}

TEST_F(Trees, WithoutValidationRowsAreFittedOnAll) {
  const nn::Dataset data =
      table([](double a, double b) { return (a > 0.5) != (b > 0.5) ? "x" : "o"; }, 0);
  EXPECT_GT(accuracy(data, nn::fit_trees(data, {})), 0.95);
}

TEST_F(Trees, ThatEachSeeHalfOfTheTableLearnToo) {
  const nn::Dataset data =
      table([](double a, double b) { return (a > 0.5) != (b > 0.5) ? "x" : "o"; });
  const nn::BoostedTrees half = nn::fit_trees(data, {.row_share = 0.5});
  EXPECT_NE(half, nn::fit_trees(data, {}));
  EXPECT_EQ(half, nn::fit_trees(data, {.row_share = 0.5})) << "not the same bits twice";
  EXPECT_GT(accuracy(data, half), 0.95);
}

TEST_F(Trees, OfFewInputsSeeThoseThatSayMost) {
  const nn::Dataset classes = table([](double, double b) { return b > 0.5 ? "x" : "o"; });
  const nn::BoostedTrees one = nn::fit_trees(classes, {.columns = 1});
  EXPECT_EQ(one.columns, std::vector<std::uint32_t>{1});
  EXPECT_GT(accuracy(classes, one), 0.95);
  const nn::Dataset numbers = table([](double a, double b) { return std::to_string(100 * a + b); });
  EXPECT_EQ(nn::fit_trees(numbers, {.columns = 1}).columns, std::vector<std::uint32_t>{0});
}

TEST_F(Trees, OfFewRowsSeeThoseAlone) {
  const nn::Dataset data = table([](double a, double) { return a > 0.5 ? "x" : "o"; });
  const nn::BoostedTrees few = nn::fit_trees(data, {.rows = 20});
  EXPECT_NE(few, nn::fit_trees(data, {}));
  EXPECT_GT(accuracy(data, few), 0.7);
}

}  // namespace
