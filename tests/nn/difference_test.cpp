// Intervals of differences: published numbers, and what follows from their definitions.

#include "nn/evaluation/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "nn/metrics/metric.h"
#include "nn/training/random.h"

namespace {

nn::Measurement mean_of(std::vector<double> rows, bool maximize = true) {
  const double sum = std::accumulate(rows.begin(), rows.end(), 0.0);
  const std::size_t count = rows.size();
  return {.value = sum / static_cast<double>(count),
          .maximize = maximize,
          .count = count,
          .rows = std::move(rows)};
}

/// The same mean as a metric that can only be drawn.
nn::Measurement drawn_mean_of(const std::vector<double>& rows) {
  nn::Measurement measured = mean_of(rows);
  measured.rows.clear();
  measured.of_counts = [rows](std::span<const std::uint32_t> counts) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sum += rows[i] * counts[i];
      n += counts[i];
    }
    return sum / n;
  };
  return measured;
}

std::vector<double> some_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const std::uint32_t word :
         nn::random_block({seed}, {static_cast<std::uint32_t>(i), 0, 0, 0}))
      sum += static_cast<double>(word) / 4294967296.0 - 0.5;
    numbers.push_back(sum);
  }
  return numbers;
}

// Approval of a prime minister, asked twice of 1600 people (Agresti, "Categorical data analysis").
TEST(Difference, OfMatchedProportionsIsThatOfAgrestiAndMin) {
  std::vector<double> first, second;
  const auto add = [&](int rows, double a, double b) {
    first.insert(first.end(), static_cast<std::size_t>(rows), a);
    second.insert(second.end(), static_cast<std::size_t>(rows), b);
  };
  add(794, 1, 1);
  add(150, 1, 0);
  add(86, 0, 1);
  add(570, 0, 0);
  const nn::Difference found = nn::difference_of(mean_of(first), mean_of(second), {}, 0);
  EXPECT_NEAR(found.value, 0.04, 1e-12);
  EXPECT_NEAR(found.low, 0.02122, 1e-5);
  EXPECT_NEAR(found.high, 0.05868, 1e-5);
  EXPECT_EQ(found.rows, 1600);
  EXPECT_EQ(found.units, 1600);
}

TEST(Difference, OfMeansIsStudentsT) {
  const nn::Difference found =
      nn::difference_of(mean_of({2, 4, 6, 8}), mean_of({1, 2, 3, 4}), {}, 0);
  EXPECT_NEAR(found.value, 2.5, 1e-12);
  // The gains 1, 2, 3, 4 have the standard deviation 1.29099; t with 3 degrees of freedom: 3.18245.
  EXPECT_NEAR(found.high - found.value, 3.18245 * 1.29099 / 2, 1e-4);
  EXPECT_NEAR(found.value - found.low, 3.18245 * 1.29099 / 2, 1e-4);
}

TEST(Difference, IsPositiveWhereLessIsBetter) {
  const nn::Difference found =
      nn::difference_of(mean_of({1, 2, 3}, false), mean_of({2, 4, 3}, false), {}, 0);
  EXPECT_NEAR(found.value, 1, 1e-12);
}

// Five copies of each row say no more than one.
TEST(Difference, RowsOfAGroupCountOnce) {
  const std::vector<double> one = some_numbers(40, 1), other = some_numbers(40, 2);
  std::vector<double> many_one, many_other;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (int copy = 0; copy < 5; ++copy) {
      many_one.push_back(one[i]);
      many_other.push_back(other[i]);
      groups.push_back(1000 - i);
    }
  }
  const nn::Difference once = nn::difference_of(mean_of(one), mean_of(other), {}, 0);
  const nn::Difference grouped =
      nn::difference_of(mean_of(many_one), mean_of(many_other), groups, 0);
  EXPECT_NEAR(grouped.low, once.low, 1e-9);
  EXPECT_NEAR(grouped.high, once.high, 1e-9);
  EXPECT_EQ(grouped.units, 40);
  EXPECT_EQ(grouped.rows, 200);
  const nn::Difference drawn =
      nn::difference_of(drawn_mean_of(many_one), drawn_mean_of(many_other), groups, 0);
  EXPECT_NEAR(drawn.high - drawn.low, once.high - once.low, 0.1 * (once.high - once.low));
}

TEST(Difference, OfDrawnRowsComesToThatOfAMean) {
  const std::vector<double> one = some_numbers(60, 3), other = some_numbers(60, 4);
  const nn::Difference t = nn::difference_of(mean_of(one), mean_of(other), {}, 0);
  const nn::Difference drawn = nn::difference_of(drawn_mean_of(one), drawn_mean_of(other), {}, 0);
  EXPECT_EQ(drawn.value, t.value);
  EXPECT_NEAR(drawn.low, t.low, 0.06 * (t.high - t.low));
  EXPECT_NEAR(drawn.high, t.high, 0.06 * (t.high - t.low));
  EXPECT_EQ(drawn, nn::difference_of(drawn_mean_of(one), drawn_mean_of(other), {}, 0));
  EXPECT_NE(drawn, nn::difference_of(drawn_mean_of(one), drawn_mean_of(other), {}, 1));
}

TEST(Difference, OfOneObservationHasNoInterval) {
  const std::vector<std::uint32_t> one_group{7, 7, 7};
  const nn::Difference grouped =
      nn::difference_of(mean_of({1, 0, 1}), mean_of({0, 0, 1}), one_group, 0);
  EXPECT_TRUE(std::isnan(grouped.low) && std::isnan(grouped.high));
  EXPECT_EQ(grouped.units, 1);
  EXPECT_TRUE(std::isnan(nn::difference_of(mean_of({1}), mean_of({0}), {}, 0).low));
  const nn::Difference none =
      nn::difference_of(mean_of({1, std::nan(""), 1}), mean_of({0, 0, 1}), {}, 0);
  EXPECT_TRUE(std::isnan(none.low));
}

TEST(Estimate, HasAnErrorWhereEveryRowIsRight) {
  const nn::Estimate all = nn::estimate_of(mean_of(std::vector<double>(96, 1.0)), {}, 0);
  EXPECT_EQ(all.value, 1);
  EXPECT_NEAR(all.error, std::sqrt(0.98 * 0.02 / 100), 1e-12);
}

// 81 of 263: Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I.
TEST(Estimate, OfAShareHasTheIntervalOfWilson) {
  std::vector<double> rows(263, 0.0);
  std::fill_n(rows.begin(), 81, 1.0);
  const nn::Estimate found = nn::estimate_of(mean_of(rows), {}, 0);
  EXPECT_NEAR(found.low, 0.2553, 5e-5);
  EXPECT_NEAR(found.high, 0.3662, 5e-5);
}

TEST(Estimate, OfDrawnRowsComesToThatOfAMean) {
  const std::vector<double> rows = some_numbers(200, 5);
  const nn::Estimate t = nn::estimate_of(mean_of(rows), {}, 0);
  const nn::Estimate drawn = nn::estimate_of(drawn_mean_of(rows), {}, 0);
  EXPECT_NEAR(drawn.error, t.error, 0.06 * t.error);
  EXPECT_NEAR(drawn.low, t.low, 0.2 * t.error);
  EXPECT_NEAR(drawn.high, t.high, 0.2 * t.error);
}

}  // namespace
