#include "hpo/driver/programs/places.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hpo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::Moment kBegin{1'000'000'000'000};

TEST(Places, AreAsManyAsWantedUntilTheSystemLacksThem) {
  Places places(8);
  EXPECT_EQ(places.most(kBegin), 8U);
  EXPECT_TRUE(places.lack(5, kBegin));
  EXPECT_EQ(places.most(kBegin), 5U);
  EXPECT_EQ(places.most(kBegin + milliseconds(900)), 5U);
}

TEST(Places, ComeBackOneASecond) {
  Places places(8);
  places.lack(5, kBegin);
  EXPECT_EQ(places.most(kBegin + seconds(1)), 6U);
  EXPECT_EQ(places.most(kBegin + milliseconds(1500)), 6U);
  EXPECT_EQ(places.most(kBegin + seconds(2)), 7U);
  EXPECT_EQ(places.most(kBegin + seconds(60)), 8U);
}

TEST(Places, ASecondLackOnTheWayBackIsNoNews) {
  Places places(8);
  EXPECT_TRUE(places.lack(5, kBegin));
  EXPECT_EQ(places.most(kBegin + seconds(1)), 6U);
  EXPECT_FALSE(places.lack(5, kBegin + seconds(1)));
  EXPECT_EQ(places.most(kBegin + milliseconds(1900)), 5U);
  EXPECT_EQ(places.most(kBegin + seconds(60)), 8U);
  EXPECT_TRUE(places.lack(1, kBegin + seconds(62)));
}

TEST(Places, OnePlaceShortIsNewsOnce) {
  Places places(8);
  EXPECT_TRUE(places.lack(7, kBegin));
  for (int second = 1; second < 200; ++second) {
    EXPECT_EQ(places.most(kBegin + seconds(second)), 8U);
    EXPECT_FALSE(places.lack(7, kBegin + seconds(second)));
  }
}

}  // namespace
}  // namespace hpo
