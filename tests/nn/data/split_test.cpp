// Dealing out rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/data/split.h"
#include "nn/training/random.h"
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

nn::Parts split(std::size_t count, const std::vector<std::int32_t>& labels, std::size_t classes,
                const nn::SplitSpec& spec) {
  return nn::split_rows("f", {.count = count, .labels = labels, .classes = classes}, spec);
}

using RowNumbers = std::vector<std::uint32_t>;

RowNumbers all_of(const nn::Parts& parts) {
  RowNumbers all;
  for (const auto& part : {parts.train, parts.valid, parts.test})
    all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  return all;
}

RowNumbers up_to(std::size_t count) {
  RowNumbers rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
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
    const nn::Parts parts = split(count, stratified ? labels : std::vector<std::int32_t>{}, classes,
                                  {.valid = valid, .test = test, .seed = seed});
    EXPECT_EQ(parts.test.size(), static_cast<std::size_t>(std::llround(count * test)));
    EXPECT_EQ(parts.valid.size(), static_cast<std::size_t>(std::llround(count * valid)));
    for (const auto& part : {parts.train, parts.valid, parts.test})
      EXPECT_TRUE(std::ranges::is_sorted(part));
    EXPECT_EQ(all_of(parts), up_to(count));
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
  const nn::Parts first = split(300, labels, 4, spec);
  const nn::Parts again = split(300, labels, 4, spec);
  EXPECT_EQ(first.train, again.train);
  EXPECT_EQ(first.valid, again.valid);
  const nn::Parts other = split(300, labels, 4, {.valid = 0.2, .test = 0.2, .seed = 1});
  EXPECT_NE(first.test, other.test);
}

TEST(Split, KeepsItsTestRowsWhenTheValidationShareChanges) {
  const auto labels = labels_of(300, 1, 4);
  const nn::Parts few = split(300, labels, 4, {.valid = 0.1, .test = 0.2, .seed = 0});
  const nn::Parts many = split(300, labels, 4, {.valid = 0.4, .test = 0.2, .seed = 0});
  EXPECT_EQ(few.test, many.test);
}

TEST(Split, NeverMoves) {
  // Rows that a published score was measured on: they change with no version of this program.
  const std::vector<std::int32_t> labels{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const nn::Parts parts = split(12, labels, 2, {.valid = 0.25, .test = 0.25, .seed = 0});
  EXPECT_EQ(parts.test, (std::vector<std::uint32_t>{1, 8, 10}));
  EXPECT_EQ(parts.valid, (std::vector<std::uint32_t>{6, 7, 9}));
}

TEST(Split, GivenTestRowsAreTheTestPart) {
  const auto labels = labels_of(100, 1, 3);
  const nn::Parts parts =
      nn::split_rows("f", {.count = 100, .labels = labels, .classes = 3, .test_rows = 30},
                     {.valid = 0.2, .test = 0.5, .seed = 0});
  EXPECT_EQ(parts.test.size(), 30U);
  EXPECT_EQ(parts.test.front(), 70U);
  EXPECT_EQ(parts.valid.size(), 14U);
  EXPECT_EQ(all_of(parts), up_to(100));
}

/// Every fold once: each row that is not a test row is validated on exactly once.
void expect_folds(const nn::SplitBy& by, std::int32_t folds) {
  nn::SplitSpec spec{.valid = 0.3, .test = 0.1, .seed = 5, .folds = folds};
  RowNumbers validated, test;
  for (spec.fold = 0; spec.fold < folds; ++spec.fold) {
    const nn::Parts parts = nn::split_rows("f", by, spec);
    EXPECT_EQ(all_of(parts), up_to(by.count));
    EXPECT_FALSE(parts.train.empty() || parts.valid.empty());
    validated.insert(validated.end(), parts.valid.begin(), parts.valid.end());
    EXPECT_TRUE(spec.fold == 0 || parts.test == test);
    test = parts.test;
  }
  validated.insert(validated.end(), test.begin(), test.end());
  std::ranges::sort(validated);
  EXPECT_EQ(validated, up_to(by.count));
}

TEST(Split, FoldsCoverEveryRowOnce) {
  const auto labels = labels_of(203, 3, 5);
  RowNumbers groups;
  for (std::uint32_t row = 0; row < 203; ++row) groups.push_back(row * row % 23);
  for (const std::int32_t folds : {2, 5, 9}) {
    expect_folds({.count = 203}, folds);
    expect_folds({.count = 203, .labels = labels, .classes = 5}, folds);
    expect_folds({.count = 203, .groups = groups}, folds);
  }
}

TEST(Split, FoldsAreAsLargeAndAsMixedAsEachOther) {
  const auto labels = labels_of(203, 3, 5);
  nn::SplitSpec spec{.valid = 0.2, .test = 0.1, .folds = 5};
  for (spec.fold = 0; spec.fold < 5; ++spec.fold) {
    const nn::Parts parts = split(203, labels, 5, spec);
    EXPECT_NEAR(static_cast<double>(parts.valid.size()), 183 / 5.0, 1);
    for (std::int32_t label = 0; label < 5; ++label) {
      const std::size_t searched =
          count_of(parts.train, labels, label) + count_of(parts.valid, labels, label);
      EXPECT_NEAR(static_cast<double>(count_of(parts.valid, labels, label)),
                  static_cast<double>(searched) / 5, 1);
    }
  }
}

TEST(Split, KeepsGroupsTogether) {
  RowNumbers groups;
  for (std::uint32_t row = 0; row < 400; ++row) groups.push_back(1000 + row * 7 % 61);
  const nn::Parts parts =
      nn::split_rows("f", {.count = 400, .groups = groups}, {.valid = 0.2, .test = 0.25});
  EXPECT_EQ(all_of(parts), up_to(400));
  EXPECT_NEAR(static_cast<double>(parts.test.size()), 100, 7);
  EXPECT_NEAR(static_cast<double>(parts.valid.size()), 80, 7);
  std::vector<int> seen_in(2000, -1);
  int number = 0;
  for (const auto& part : {parts.train, parts.valid, parts.test}) {
    for (const std::uint32_t row : part) {
      int& seen = seen_in[groups[row]];
      EXPECT_TRUE(seen == -1 || seen == number) << "group " << groups[row];
      seen = number;
    }
    ++number;
  }
}

TEST(Split, APartHasAGroupEvenIfEachIsFarLarger) {
  RowNumbers groups;
  for (std::uint32_t row = 0; row < 90; ++row) groups.push_back(row % 3);
  const nn::Parts parts =
      nn::split_rows("f", {.count = 90, .groups = groups}, {.valid = 0.05, .test = 0.05});
  EXPECT_EQ(parts.test.size(), 30U);
  EXPECT_EQ(parts.valid.size(), 30U);
  EXPECT_EQ(parts.train.size(), 30U);
}

TEST(Split, TrainsOnTheEarlierRows) {
  const std::vector<double> times{5, 1, 9, 3, 7, 2, 8, 3, 6, 4};
  const nn::SplitBy by{.count = 10, .times = times};
  const nn::Parts parts = nn::split_rows("f", by, {.valid = 0.2, .test = 0.3});
  EXPECT_EQ(parts.test, (RowNumbers{2, 4, 6}));
  EXPECT_EQ(parts.valid, (RowNumbers{0, 8}));
  EXPECT_EQ(parts.train, (RowNumbers{1, 3, 5, 7, 9}));
  nn::SplitSpec spec{.valid = 0.2, .test = 0.1, .folds = 2};
  EXPECT_EQ(nn::split_rows("f", by, spec).train, (RowNumbers{1, 3, 5}));
  EXPECT_EQ(nn::split_rows("f", by, spec).valid, (RowNumbers{0, 7, 9}));
  spec.fold = 1;
  EXPECT_EQ(nn::split_rows("f", by, spec).train, (RowNumbers{0, 1, 3, 5, 7, 9}));
  EXPECT_EQ(nn::split_rows("f", by, spec).valid, (RowNumbers{4, 6, 8}));
}

TEST(Split, SaysWhichRowsOfAPartBelongTogether) {
  std::vector<std::uint32_t> groups;
  std::vector<double> times;
  for (std::uint32_t row = 0; row < 500; ++row) {
    groups.push_back(row % 37);
    times.push_back(static_cast<double>((row * 7919) % 500));
  }
  const nn::SplitSpec spec{.valid = 0.2, .test = 0.2};
  const nn::Parts alone = nn::split_rows("f", {.count = 500}, spec);
  EXPECT_TRUE(alone.valid_units.empty() && alone.test_units.empty());
  const nn::Parts grouped = nn::split_rows("f", {.count = 500, .groups = groups}, spec);
  ASSERT_EQ(grouped.test_units.size(), grouped.test.size());
  for (std::size_t i = 0; i < grouped.test.size(); ++i)
    EXPECT_EQ(grouped.test_units[i], groups[grouped.test[i]]);
  const nn::Parts timed = nn::split_rows("f", {.count = 500, .times = times}, spec);
  ASSERT_EQ(timed.test_units.size(), 100u);
  std::vector<std::size_t> rows(10, 0);
  for (std::size_t i = 0; i < timed.test.size(); ++i) {
    ASSERT_LT(timed.test_units[i], 10u);
    ++rows[timed.test_units[i]];
    for (std::size_t j = 0; j < timed.test.size(); ++j) {
      const bool earlier = times[timed.test[i]] < times[timed.test[j]];
      EXPECT_TRUE(!earlier || timed.test_units[i] <= timed.test_units[j]);
    }
  }
  EXPECT_EQ(rows, std::vector<std::size_t>(10, 10));
  EXPECT_EQ(timed.valid_units.size(), 100u);
}

TEST(Split, RefusesWhatCannotBeDealtOut) {
  const RowNumbers groups{7, 7, 7, 8, 8, 8};
  const auto error = [&](const nn::SplitBy& by, const nn::SplitSpec& spec) {
    return nn_test::error_of("nowhere", [&] { (void)nn::split_rows("f", by, spec); });
  };
  EXPECT_EQ(error({.count = 6, .groups = groups}, {.valid = 0.2, .test = 0.2}),
            "f: split.group: 2 groups, expected enough for each part to have one");
  EXPECT_EQ(error({.count = 6, .groups = groups}, {.test = 0, .folds = 3}),
            "f: folds: 2 groups cannot make 3 folds");
  EXPECT_EQ(error({.count = 4}, {.test = 0, .folds = 5}), "f: folds: 4 rows cannot make 5 folds");
  EXPECT_EQ(error({.count = 4}, {.test = 0, .folds = 1}),
            "f: folds: fold 0 of 1, expected 2 folds or more");
}

}  // namespace
