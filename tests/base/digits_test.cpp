#include "base/digits.h"

#include <gtest/gtest.h>

namespace {

TEST(RoundedToDigits, GivesTheNearestDouble) {
  EXPECT_EQ(base::rounded_to_digits(0.1 + 0.2, 12), 0.3);
  EXPECT_EQ(base::rounded_to_digits(-123456, 3), -123000);
  EXPECT_EQ(base::rounded_to_digits(1 / 3.0, 17), 1 / 3.0);
  EXPECT_EQ(base::rounded_to_digits(0, 1), 0);
}

}  // namespace
