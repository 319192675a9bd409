// Dealing out rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/data/split.h"
#include "nn/random.h"
#include "tests/nn/data/files.h"

namespace {

std::vector<std::int32_t> labels_of(std::size_t count, std::uint64_t seed, std::size_t classes) {
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    const auto words = nn::random_block({seed}, {static_cast<std::uint32_t>(i), 0, 0, 0});
    // Uneven classes: the first is the most frequent.
    labels.push_back(static_cast<std::int32_t>(std::min(words[0] % classes, words[1] % classes)));
  }
  return labels;
}

std::size_t count_of(const std::vector<std::uint32_t>& rows,
                     const std::vector<std::int32_t>& labels, std::int32_t label) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](auto row) { return labels[row] == label; }));
}

TEST(Split, IsExactDisjointAndStratified) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t count = 20 + seed * 37 % 400;
    const std::size_t classes = 2 + seed % 7;
    const double valid = 0.05 * static_cast<double>(seed % 9);
    const double test = 0.05 * static_cast<double>(seed % 8 + 1);
    const auto labels = labels_of(count, seed, classes);
    const bool stratified = seed % 4 != 0;
    const nn::Parts parts =
        nn::split_rows("f", count, stratified ? labels : std::vector<std::int32_t>{}, classes,
                       {.valid = valid, .test = test, .seed = seed});
    EXPECT_EQ(parts.test.size(), static_cast<std::size_t>(std::llround(count * test)));
    EXPECT_EQ(parts.valid.size(), static_cast<std::size_t>(std::llround(count * valid)));
    std::vector<std::uint32_t> all;
    for (const auto& part : {parts.train, parts.valid, parts.test}) {
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(all, expected);
    if (!stratified) continue;
    for (std::int32_t label = 0; label < static_cast<std::int32_t>(classes); ++label) {
      const auto share = static_cast<double>(std::count(labels.begin(), labels.end(), label)) /
                         static_cast<double>(count);
      EXPECT_NEAR(static_cast<double>(count_of(parts.test, labels, label)),
                  share * static_cast<double>(parts.test.size()), 1.0);
      EXPECT_NEAR(static_cast<double>(count_of(parts.valid, labels, label)),
                  share * static_cast<double>(parts.valid.size()), 2.0);
    }
  }
}

TEST(Split, FollowsItsOwnSeedAlone) {
  const auto labels = labels_of(300, 1, 4);
  const nn::SplitSpec spec{.valid = 0.2, .test = 0.2, .seed = 0};
  const nn::Parts first = nn::split_rows("f", 300, labels, 4, spec);
  const nn::Parts again = nn::split_rows("f", 300, labels, 4, spec);
  EXPECT_EQ(first.train, again.train);
  EXPECT_EQ(first.valid, again.valid);
  const nn::Parts other =
      nn::split_rows("f", 300, labels, 4, {.valid = 0.2, .test = 0.2, .seed = 1});
  EXPECT_NE(first.test, other.test);
}

TEST(Split, KeepsItsTestRowsWhenTheValidationShareChanges) {
  const auto labels = labels_of(300, 1, 4);
  const nn::Parts few = nn::split_rows("f", 300, labels, 4, {.valid = 0.1, .test = 0.2, .seed = 0});
  const nn::Parts many =
      nn::split_rows("f", 300, labels, 4, {.valid = 0.4, .test = 0.2, .seed = 0});
  EXPECT_EQ(few.test, many.test);
}

TEST(Split, NeverMoves) {
  // Rows that a published score was measured on: they change with no version of this program.
  const std::vector<std::int32_t> labels{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const nn::Parts parts =
      nn::split_rows("f", 12, labels, 2, {.valid = 0.25, .test = 0.25, .seed = 0});
  EXPECT_EQ(parts.test, (std::vector<std::uint32_t>{1, 8, 10}));
  EXPECT_EQ(parts.valid, (std::vector<std::uint32_t>{6, 7, 9}));
}

}  // namespace
