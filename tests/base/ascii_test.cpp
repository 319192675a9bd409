#include "base/ascii.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

TEST(Ascii, EveryByteIsWhatTheTableSays) {
  constexpr std::string_view kDigits = "0123456789", kSmall = "abcdefghijklmnopqrstuvwxyz",
                             kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int byte = -128; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    const bool digit = kDigits.find(c) != kDigits.npos, small = kSmall.find(c) != kSmall.npos;
    const std::size_t capital = kCapitals.find(c);
    EXPECT_EQ(base::is_digit(c), digit) << byte;
    EXPECT_EQ(base::is_lower_letter(c), small) << byte;
    EXPECT_EQ(base::is_letter(c), small || capital != kCapitals.npos) << byte;
    EXPECT_EQ(base::is_letter_or_digit(c), digit || small || capital != kCapitals.npos) << byte;
    EXPECT_EQ(base::to_lower(c), capital != kCapitals.npos ? kSmall[capital] : c) << byte;
  }
}

TEST(Ascii, OnlyItsOwnCapitalsBecomeSmall) {
  EXPECT_EQ(base::lowered("Batch_SIZE 7 \xC3\x84"), "batch_size 7 \xC3\x84");
}

}  // namespace
