#include "hpo/space/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace hpo {
namespace {

TEST(ReadScalar, FollowsTheCoreSchemaOfYaml12) {
  struct Case {
    std::string text;
    Scalar expected;
  };
  using Int = std::int64_t;
  const Case cases[] = {
      {"", std::monostate{}},
      {"~", std::monostate{}},
      {"null", std::monostate{}},
      {"NULL", std::monostate{}},
      {"true", true},
      {"False", false},
      {"TRUE", true},
      {"yes", std::string("yes")},
      {"on", std::string("on")},
      {"n", std::string("n")},
      {"tRue", std::string("tRue")},
      {"0", Int{0}},
      {"010", Int{10}},
      {"-5", Int{-5}},
      {"+7", Int{7}},
      {"0x1F", Int{31}},
      {"0o17", Int{15}},
      {"0o18", std::string("0o18")},
      {"0x", std::string("0x")},
      {"-0x1", std::string("-0x1")},
      {"9223372036854775807", std::numeric_limits<Int>::max()},
      {"-9223372036854775808", std::numeric_limits<Int>::min()},
      {"9223372036854775808", std::string("9223372036854775808")},
      {"1e-5", 1e-5},
      {"1e3", 1000.0},
      {"1E+3", 1000.0},
      {".5", 0.5},
      {"5.", 5.0},
      {"-.5e1", -5.0},
      {"+1.5", 1.5},
      {"-0.0", -0.0},
      {".inf", INFINITY},
      {"-.Inf", -INFINITY},
      {"+.INF", INFINITY},
      {"1e999", std::string("1e999")},
      {".", std::string(".")},
      {"e5", std::string("e5")},
      {"1e", std::string("1e")},
      {"1e+", std::string("1e+")},
      {"1.2.3", std::string("1.2.3")},
      {"1_000", std::string("1_000")},
      {"+", std::string("+")},
      {"inf", std::string("inf")},
      {"nan", std::string("nan")},
      {"12:30", std::string("12:30")},
      {" 1", std::string(" 1")},
  };
  for (const Case& c : cases) EXPECT_EQ(read_scalar(c.text), c.expected) << '"' << c.text << '"';
  EXPECT_TRUE(std::isnan(std::get<double>(read_scalar(".NaN"))));
  EXPECT_TRUE(std::signbit(std::get<double>(read_scalar("-0.0"))));
}

TEST(ReadScalar, TellsNumbersThatDoNotFit) {
  EXPECT_TRUE(is_oversized_number("9223372036854775808"));
  EXPECT_TRUE(is_oversized_number("1e999"));
  EXPECT_TRUE(is_oversized_number("0xFFFFFFFFFFFFFFFFF"));
  EXPECT_FALSE(is_oversized_number("9223372036854775807"));
  EXPECT_FALSE(is_oversized_number("abc"));
  EXPECT_FALSE(is_oversized_number(""));
}

TEST(ValueText, ReadsBackAsTheSameValueWithItsType) {
  const std::int64_t small = 0;
  const ParamValue values[] = {true,
                               false,
                               small,
                               std::int64_t{-3},
                               std::numeric_limits<std::int64_t>::min(),
                               0.0,
                               1.0,
                               1e-5,
                               0.1,
                               1e22,
                               5e-324,
                               std::numeric_limits<double>::max(),
                               std::string("adam"),
                               std::string("1.5"),
                               std::string("true"),
                               std::string("null"),
                               std::string(""),
                               std::string("a b"),
                               std::string("quote\" \\ and\nline"),
                               std::string("\"inner\""),
                               std::string("1e999"),
                               std::string("-x"),
                               std::string("\xC3\xA9t\xC3\xA9")};
  for (const ParamValue& value : values)
    EXPECT_EQ(parse_value(text_of(value)), value) << text_of(value);
  EXPECT_EQ(text_of(1.0), "1.0");
  EXPECT_EQ(text_of(std::int64_t{1}), "1");
  EXPECT_EQ(text_of(std::string("1")), "\"1\"");
  EXPECT_EQ(text_of(1e-6), "1e-6");
}

TEST(ValueText, RoundTripsRandomBitPatterns) {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t word = bits();
    double value = 0;
    std::memcpy(&value, &word, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(parse_value(text_of(value)), ParamValue(value)) << text_of(value);
  }
}

TEST(ValueText, JsonQuotesStringsAndHidesWhatJsonCannotSay) {
  EXPECT_EQ(json_of(std::string("adam")), "\"adam\"");
  EXPECT_EQ(json_of(std::string("a\"b\n")), "\"a\\\"b\\n\"");
  EXPECT_EQ(json_of(true), "true");
  EXPECT_EQ(json_of(0.5), "0.5");
  EXPECT_EQ(json_of(INFINITY), "null");
  EXPECT_EQ(plain_text_of(std::string("a b")), "a b");
}

TEST(Value, EqualityIsExact) {
  EXPECT_NE(ParamValue(std::int64_t{1}), ParamValue(1.0));
  EXPECT_EQ(type_name(1.0), "float");
  EXPECT_EQ(type_name(std::string("x")), "string");
  EXPECT_EQ(number_of(std::int64_t{3}), 3.0);
  EXPECT_EQ(number_of(true), std::nullopt);
}

}  // namespace
}  // namespace hpo
