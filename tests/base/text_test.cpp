#include "base/text.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"

namespace {

TEST(FormatDouble, ShortestFormOfKnownNumbers) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0.1, "0.1"},
      {42, "42"},
      {-0.0, "-0"},
      {0.00001, "0.00001"},
      {1e-6, "1e-6"},
      {1e16, "1e16"},
      {2.5e20, "2.5e20"},
      {1e15, "1000000000000000"},
      {5e-324, "5e-324"},
      {NAN, "nan"},
      {INFINITY, "inf"},
      {-INFINITY, "-inf"},
      {1.7976931348623157e308, "1.7976931348623157e308"},
      {-3.25e-7, "-3.25e-7"},
      {1.0 / 3, "0.3333333333333333"}};
  for (const auto& [x, text] : cases) EXPECT_EQ(base::format_double(x), text);
}

TEST(FormatDouble, ReadsBackTheSameBitsForRandomBits) {
  base::Stream random(1, "format_double");
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random.u64());
    if (std::isnan(x)) continue;
    const auto back = base::parse_double(base::format_double(x));
    ASSERT_TRUE(back.has_value()) << base::format_double(x);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(x))
        << base::format_double(x);
  }
}

TEST(Parse, RefusesWhatIsLeftOver) {
  EXPECT_EQ(base::parse_double("1e-5"), 1e-5);
  EXPECT_EQ(base::parse_double("+2"), 2.0);
  for (const char* bad : {"", "1x", " 1", "1 ", "0x10", "--1", "e5"})
    EXPECT_FALSE(base::parse_double(bad)) << bad;
  EXPECT_EQ(base::parse_int("-12"), -12);
  for (const char* bad : {"", "1.0", "9223372036854775808", "1e3"})
    EXPECT_FALSE(base::parse_int(bad)) << bad;
}

TEST(Parse, WholeNumbersOfOtherBasesAndWithoutASign) {
  EXPECT_EQ(base::parse_int("-ff", 16), -255);
  EXPECT_EQ(base::parse_int("17", 8), 15);
  EXPECT_EQ(base::parse_int("18", 8), std::nullopt);
  EXPECT_EQ(base::parse_unsigned("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "18446744073709551616", "-1", "+1", "1.0", " 1"})
    EXPECT_EQ(base::parse_unsigned(text), std::nullopt) << text;
}

TEST(Format, SoManyDigits) {
  EXPECT_EQ(base::with_digits(0.123456, 4), "0.1235");
  EXPECT_EQ(base::with_digits(123456789, 4), "1.235e+08");
  EXPECT_EQ(base::with_digits(100, 3), "100");
  EXPECT_EQ(base::with_digits(NAN, 3), "nan");
  EXPECT_EQ(base::with_decimals(0.149, 1), "0.1");
  EXPECT_EQ(base::with_decimals(-2, 2), "-2.00");
  EXPECT_EQ(base::with_decimals(std::numeric_limits<double>::max(), 1).size(), 311U);
}

TEST(Format, BytesAndSecondsForPeople) {
  EXPECT_EQ(base::format_bytes(812), "812 B");
  EXPECT_EQ(base::format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(base::format_bytes(1048575), "1.0 MiB");
  EXPECT_EQ(base::format_bytes(3ULL << 30), "3.0 GiB");
  EXPECT_EQ(base::format_seconds(850e-9), "850 ns");
  EXPECT_EQ(base::format_seconds(0.0041), "4.1 ms");
  EXPECT_EQ(base::format_seconds(59.97), "1 min 0 s");
  EXPECT_EQ(base::format_seconds(125), "2 min 5 s");
  EXPECT_EQ(base::format_seconds(3780), "1 h 3 min");
}

TEST(EditDistance, CountsEachSlipOnce) {
  EXPECT_EQ(base::edit_distance("width", "width"), 0u);
  EXPECT_EQ(base::edit_distance("widht", "width"), 1u);  // a swap
  EXPECT_EQ(base::edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(base::edit_distance("", "abc"), 3u);
}

TEST(Nearest, FindsWhatWasMeantAndNothingElse) {
  const std::vector<std::string> words = {"learning_rate", "width", "batch", "lr", "optimizer"};
  EXPECT_EQ(base::nearest("widht", words), "width");
  EXPECT_EQ(base::nearest("Optimiser", words), "optimizer");
  EXPECT_EQ(base::nearest("learnig_rate", words), "learning_rate");
  EXPECT_EQ(base::nearest("dropout", words), "");
  EXPECT_EQ(base::did_you_mean("bach", words), "; did you mean 'batch'?");
  EXPECT_EQ(base::did_you_mean("zzz", words), "");
}

TEST(ExpectedOneOf, NamesWhatIsKnownAndTheNearest) {
  const std::vector<std::string> words{"torch", "jax"};
  EXPECT_EQ(base::expected_one_of(words, "tensorflow"), ", expected one of torch, jax");
  EXPECT_EQ(base::expected_one_of(words, "jaxx"),
            ", expected one of torch, jax; did you mean 'jax'?");
  EXPECT_EQ(base::expected_one_of({}, "x"), ", expected none");
  EXPECT_EQ(base::expected_one_of(std::span(words).first(1), "x"), ", expected torch");
  std::vector<std::string> many;
  for (int i = 0; i < 13; ++i) many.push_back(std::to_string(i));
  EXPECT_TRUE(base::expected_one_of(many, "x").ends_with(" 11, 12"));
  many.emplace_back("width");
  EXPECT_TRUE(
      base::expected_one_of(many, "widht").ends_with(", 11 and 2 more; did you mean 'width'?"));
}

TEST(Printable, KeepsOneLineAndValidUtf8) {
  EXPECT_EQ(base::printable("a\nb\tc\r\x01"), "a\\nb\\tc\\r\\x01");
  EXPECT_EQ(base::printable("gr\xC3\xB6\xC3\x9F"
                            "e \xFF"),
            "gr\xC3\xB6\xC3\x9F"
            "e \\xff");
  EXPECT_EQ(base::printable("\xC2\x9B\x32J \xC2\x80 \xC2\xA0"), "\\u009b2J \\u0080 \xC2\xA0");
  EXPECT_EQ(base::printable(std::string(300, 'x'), 10), std::string(10, 'x') + "...");
}

TEST(Cat, JoinsPartsOfAllKinds) {
  EXPECT_EQ(
      base::cat("rows: ", 12, ", ", -3L, ", ", 7u, ", loss ", 0.5, ' ', true, std::string("!")),
      "rows: 12, -3, 7, loss 0.5 true!");
}

}  // namespace
