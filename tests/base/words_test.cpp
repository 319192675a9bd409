#include "base/words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

TEST(Words, CountsHaveTheirPlural) {
  EXPECT_EQ(base::counted(0, "row"), "0 rows");
  EXPECT_EQ(base::counted(1U, "row"), "1 row");
  EXPECT_EQ(base::counted(std::int64_t{-2}, "old row"), "-2 old rows");
}

TEST(Words, LargeNumbersAreGrouped) {
  EXPECT_EQ(base::grouped(0), "0");
  EXPECT_EQ(base::grouped(999), "999");
  EXPECT_EQ(base::grouped(1000), "1,000");
  EXPECT_EQ(base::grouped(10000000), "10,000,000");
}

TEST(Words, ListsNameEachOnce) {
  EXPECT_EQ(base::listed(Words{}), "");
  EXPECT_EQ(base::listed(Words{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(base::listed(std::vector{1, 2}), "1, 2");
  const std::map<std::string, int> counts{{"a", 2}, {"b", 3}};
  EXPECT_EQ(base::listed(counts, [](const auto& one) { return one.second + 1; }), "3, 4");
  EXPECT_EQ(base::listed(counts, &std::pair<const std::string, int>::first), "a, b");
}

TEST(Words, TheLastOfSeveralStandsBehindOr) {
  EXPECT_EQ(base::either(Words{}), "");
  EXPECT_EQ(base::either(Words{"a"}), "a");
  EXPECT_EQ(base::either(Words{"a", "b"}), "a or b");
  EXPECT_EQ(base::either(Words{"a", "b", "c"}), "a, b or c");
}

}  // namespace
