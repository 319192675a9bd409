#include "base/utf8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

TEST(Utf8, EveryCodePointIsOneSequence) {
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    std::string text;
    base::append_utf8(text, code);
    ASSERT_EQ(base::utf8_length(text, 0), text.size()) << code;
    ASSERT_TRUE(base::is_utf8(text)) << code;
    ASSERT_FALSE(text.size() > 1 && base::is_utf8(text.substr(0, text.size() - 1))) << code;
  }
}

TEST(Utf8, OneByteOfEachCharacterBeginsIt) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82";
  EXPECT_EQ(std::ranges::count_if(text, base::begins_character), 4);
}

TEST(Utf8, RefusesWhatIsNone) {
  // Overlong forms, surrogates, code points beyond the last one, a tail alone, a byte of no form.
  for (const std::string_view text : {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xff"})
    EXPECT_EQ(base::utf8_length(text, 0), 0U);
}

TEST(Utf8, OtherEncodingsBecomeIt) {
  EXPECT_EQ(base::as_utf8("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(base::as_utf8("gr\xfc\xdf 5 \x80"),
            "gr\xc3\xbc\xc3\x9f 5 \xe2\x82\xac");  // Windows-1252
  const std::string_view little(
      "\x3d\xd8\x00\xde"
      "a\x00"
      "\x00\xd8",
      8);
  EXPECT_EQ(base::from_utf16(little, false),
            "\xf0\x9f\x98\x80"
            "a\xef\xbf\xbd");
  EXPECT_EQ(base::from_utf16(std::string_view("\x00"
                                              "a\x01",
                                              3),
                             true),
            "a\xef\xbf\xbd");
}

}  // namespace
