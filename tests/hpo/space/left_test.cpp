#include "hpo/space/left.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace hpo {
namespace {

using Int = std::int64_t;

TEST(Left, TheEndsOfARangeAreValuesOfIt) {
  const Domain ints = IntRange{.min = 3, .max = 20, .step = 4};
  Left left(ints);
  EXPECT_EQ(left.high(), 19);
  EXPECT_TRUE(left.keep_to(14.5));
  EXPECT_EQ(left.high(), 11);
  EXPECT_TRUE(left.keep_from(3.5));
  EXPECT_EQ(left.low(), 7);
  EXPECT_FALSE(left.keep_from(5)) << "nothing new";
  EXPECT_FALSE(left.has(Int{8}));
  EXPECT_TRUE(left.take(Int{7}));
  EXPECT_EQ(left.only(), ParamValue(Int{11}));
  EXPECT_TRUE(left.keep_to(10));
  EXPECT_TRUE(left.empty());

  const Domain tenths = FloatRange{.min = 0, .max = 1, .step = 0.1};
  Left some(tenths);
  EXPECT_TRUE(some.keep_to(0.75));
  EXPECT_EQ(some.high(), 0.7);
  EXPECT_TRUE(some.keep_from(0.3));
  EXPECT_EQ(some.low(), 0.3) << "a value of the range stays";
  EXPECT_FALSE(some.has(0.35));
}

TEST(Left, EndsFarOutsideLeaveAllOrNothing) {
  const Domain ints = IntRange{.min = -5, .max = 5};
  Left all(ints);
  EXPECT_FALSE(all.keep_to(1e300));
  EXPECT_FALSE(all.keep_from(-INFINITY));
  EXPECT_TRUE(all.keep_to(-1e300));
  EXPECT_TRUE(all.empty());
}

TEST(Left, ValuesOfAListGoOneByOne) {
  const Domain list = Choice{{Int{4}, 1.5, std::string("many")}};
  Left left(list);
  EXPECT_FALSE(left.numbers());
  EXPECT_TRUE(left.take(std::string("many")));
  ASSERT_TRUE(left.numbers());
  EXPECT_EQ(left.low(), 1.5);
  EXPECT_EQ(left.high(), 4);
  EXPECT_FALSE(left.has(4.0)) << "a float is no int";
  EXPECT_TRUE(left.has_same(4.0));
  EXPECT_TRUE(left.take_same(4.0));
  EXPECT_EQ(left.only(), ParamValue(1.5));
}

TEST(Left, DrawsWhatIsLeft) {
  const Domain ints = IntRange{.min = 1, .max = 1024, .scale = Scale::log};
  Left left(ints);
  left.keep_from(7);
  left.keep_to(12);
  left.take(Int{9});
  Stream stream(1, "left");
  std::set<ParamValue> seen;
  for (int i = 0; i < 400; ++i) seen.insert(left.draw(stream));
  EXPECT_EQ(seen, (std::set<ParamValue>{Int{7}, Int{8}, Int{10}, Int{11}, Int{12}}));

  const Domain tail = FloatRange{.min = 0, .max = 1, .prior = Normal{.mean = 0, .deviation = 0.01}};
  Left far(tail);
  far.keep_from(0.999);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(far.has(far.draw(stream)));
}

}  // namespace
}  // namespace hpo
