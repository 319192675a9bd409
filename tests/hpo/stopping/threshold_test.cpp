#include "hpo/stopping/threshold.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> threshold(double worst, bool maximize, std::int64_t min = 1) {
  return make_stopping_rule("threshold", {10, {{"worst", worst}, {"min", min}}, maximize});
}

TEST(Threshold, StopsWhatIsTooHighWhereLowIsGood) {
  auto rule = threshold(0.5, false);
  EXPECT_EQ(rule->reported(0, 1, 0.5), Decision::go);
  EXPECT_EQ(rule->reported(0, 2, 0.51), Decision::stop);
}

TEST(Threshold, StopsWhatIsTooLowWhereHighIsGood) {
  auto rule = threshold(0.8, true);
  EXPECT_EQ(rule->reported(0, 1, -0.8), Decision::go) << "an accuracy of 0.8";
  EXPECT_EQ(rule->reported(0, 2, -0.79), Decision::stop);
}

TEST(Threshold, CountsFromMinOn) {
  auto rule = threshold(0.5, false, 4);
  EXPECT_FALSE(rule->decides(0, 3));
  EXPECT_TRUE(rule->decides(3, 4));
  EXPECT_FALSE(rule->decides(9, 10)) << "the end of a trial";
  EXPECT_EQ(rule->reported(0, 3, 9), Decision::go);
  EXPECT_EQ(rule->reported(0, 4, 9), Decision::stop);
}

TEST(Threshold, NotANumberIsWorst) {
  EXPECT_EQ(threshold(1e300, false)->reported(0, 1, std::nan("")), Decision::stop);
  EXPECT_EQ(threshold(-1e300, true)->reported(0, 1, std::nan("")), Decision::stop);
}

}  // namespace
}  // namespace hpo
