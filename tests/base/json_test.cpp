#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/random.h"

namespace {

using base::Json;

/// The message, or "" where the text is read.
std::string refusal_of(std::string_view text, const base::JsonRules& rules = {}) {
  try {
    (void)Json::parse(text, rules);
  } catch (const base::JsonError& error) {
    EXPECT_EQ(error.kind(), rules.kind);
    return error.what();
  }
  return "";
}

TEST(Json, ReadsTypesAsTheyAre) {
  const Json json = Json::parse(R"( [true, false, null, -7, 1.5, "x", {}, []] )");
  const auto& all = json.members();
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].second.as_bool(), true);
  EXPECT_EQ(all[1].second.as_bool(), false);
  EXPECT_TRUE(all[2].second.is_null());
  EXPECT_EQ(all[3].second.as_integer(), -7);
  EXPECT_EQ(all[3].second.as_unsigned(), std::nullopt);
  EXPECT_EQ(all[3].second.as_number(), -7.0);
  EXPECT_EQ(all[4].second.as_integer(), std::nullopt);
  EXPECT_EQ(all[4].second.as_number(), 1.5);
  EXPECT_EQ(all[5].second.as_text(), "x");
  EXPECT_EQ(all[5].second.as_number(), std::nullopt);
  EXPECT_TRUE(all[6].second.is_object());
  EXPECT_TRUE(all[7].second.is_list());
  EXPECT_EQ(all[7].second.as_text(), std::nullopt);
  EXPECT_EQ(all[2].second.as_bool(), std::nullopt);
}

TEST(Json, ReadsIntegersOf64Bits) {
  const Json json = Json::parse(
      "[9223372036854775807, -9223372036854775808, 9223372036854775808, "
      "18446744073709551615, 18446744073709551616, 0, -0, 1e2]");
  const auto integer = [&](std::size_t i) { return json.members()[i].second.as_integer(); };
  const auto natural = [&](std::size_t i) { return json.members()[i].second.as_unsigned(); };
  EXPECT_EQ(integer(0), INT64_MAX);
  EXPECT_EQ(integer(1), INT64_MIN);
  EXPECT_EQ(integer(2), std::nullopt);
  EXPECT_EQ(natural(2), std::uint64_t{1} << 63);
  EXPECT_EQ(natural(3), UINT64_MAX);
  EXPECT_EQ(natural(4), std::nullopt);
  EXPECT_EQ(json.members()[4].second.as_number(), 18446744073709551616.0);
  EXPECT_EQ(natural(5), 0U);
  EXPECT_EQ(integer(6), 0);
  EXPECT_EQ(natural(6), std::nullopt);
  EXPECT_EQ(integer(7), std::nullopt);
}

TEST(Json, NumbersComeBackBitForBit) {
  for (double x :
       {0.0, -0.0, 0.1, 1e-320, 1.7976931348623157e308, 3.0, -1234567.875, 5e-324,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    base::JsonWriter writer;
    const std::string text = std::move(writer.begin_object().field("x", x).end_object()).text();
    const double back = Json::parse(text).at("x").number();
    EXPECT_EQ(back, x) << text;
    EXPECT_EQ(std::signbit(back), std::signbit(x)) << text;
  }
  EXPECT_TRUE(std::isnan(Json::parse(R"({"x": "nan"})").at("x").number()));
}

TEST(Json, RefusesNumbersBeyondADouble) {
  EXPECT_EQ(refusal_of("[1e400]"), "damaged JSON at byte 1: expected a value");
  EXPECT_NE(refusal_of(std::string(400, '9')), "");
  EXPECT_EQ(refusal_of(std::string(300, '9')), "");
}

TEST(Json, ReadsEscapes) {
  const Json json = Json::parse(R"(["\u00e4\u20AC\/\b", "\ud83d\ude00", "\"\\\f\n\r\t\u0000."])");
  EXPECT_EQ(json.members()[0].second.text(), "\xc3\xa4\xe2\x82\xac/\b");
  EXPECT_EQ(json.members()[1].second.text(), "\xf0\x9f\x98\x80") << "a pair of surrogates";
  EXPECT_EQ(json.members()[2].second.text(), std::string("\"\\\f\n\r\t\0.", 8));
  const Json named = Json::parse(R"({"a\u0062": 1})");
  EXPECT_EQ(named.members()[0].first, "ab");
}

TEST(Json, RefusesHalvesOfSurrogates) {
  for (const char* bad : {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\n")", R"("\ud83d\ud83d")",
                          R"("\ude00")", R"("\ud83d\u0041")"}) {
    EXPECT_NE(refusal_of(bad), "") << bad;
  }
}

TEST(Json, RefusesWhatIsNotOneValue) {
  for (const char* bad : {"",
                          "{",
                          "[1,",
                          "[1,]",
                          "[,1]",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "nul",
                          "1 2",
                          "\"open",
                          "{a:1}",
                          "01",
                          "01x",
                          "+1",
                          ".5",
                          "1.",
                          "1e",
                          "1e+",
                          "-",
                          "0x10",
                          "NaN",
                          "nan",
                          "Infinity",
                          "-inf",
                          "'a'",
                          "\"\\u12\"",
                          "\"\\q\"",
                          "tru",
                          "truex",
                          "[1}",
                          "{1: 2}",
                          "1,",
                          "\"a\tb\"",
                          "\"\n\"",
                          "// 1\n1",
                          "\"\\u00\x10"
                          "0\"",
                          "[1 2]"}) {
    EXPECT_NE(refusal_of(bad), "") << bad;
  }
  EXPECT_NE(refusal_of(std::string_view("\"a\0b\"", 5)), "");
  EXPECT_NE(refusal_of(std::string_view("1\0", 2)), "");
  EXPECT_EQ(refusal_of("[1, 2"), "damaged JSON at byte 5: expected ']'");
}

TEST(Json, AgreesWithAnotherParser) {
  // Texts that are JSON but for a byte or two.
  const std::string good =
      R"({"a": [1, -2.5e+3, true, null], "b\n\u00e9": {"x": "\ud83d\ude00", "y": ""}, "c": [[]]})";
  const std::string bytes = "\"\\{}[]:,.-+eE019 \n\t\rtfnu\x01\x7f\xc3\xa9\xff/";
  base::Stream random(7);
  std::size_t read = 0;
  for (int i = 0; i < 30'000; ++i) {
    std::string text = good;
    for (std::uint64_t changes = 1 + random.below(2); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      const char byte = bytes[random.below(bytes.size())];
      if (random.below(2) == 0) {
        text[at] = byte;
      } else {
        text.insert(at, 1, byte);
      }
    }
    const bool theirs = nlohmann::json::accept(text);
    EXPECT_EQ(Json::try_parse(text, {.utf8 = true}).has_value(), theirs) << text;
    read += theirs ? 1 : 0;
  }
  EXPECT_GT(read, 1'000U);
}

TEST(Json, SkipsBlanksAndAByteOrderMark) {
  EXPECT_EQ(Json::parse("\xEF\xBB\xBF\r\n\t { \"a\" :\r[ ] } \n").raw(), "{ \"a\" :\r[ ] }");
}

TEST(Json, ChecksUtf8WhereAsked) {
  for (const char* bad : {"\"\xff\"", "{\"\xc3\": 1}", "[\"\xed\xa0\x80\"]"}) {
    EXPECT_EQ(refusal_of(bad), "") << bad;
    EXPECT_NE(refusal_of(bad, {.utf8 = true}).find("expected text in UTF-8"), std::string::npos);
  }
  EXPECT_EQ(refusal_of("\"\xc3\xa4\"", {.utf8 = true}), "");
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_EQ(refusal_of("[[1]]", {.depth = 2}), "");
  EXPECT_EQ(refusal_of("[[[]]]", {.depth = 2}), "damaged JSON at byte 2: expected less nesting");
  EXPECT_EQ(refusal_of("{\"a\": {\"b\": {}}}", {.depth = 2}),
            "damaged JSON at byte 12: expected less nesting");
  EXPECT_EQ(refusal_of("[[], [], [[]]]", {.depth = 3}), "") << "side by side is not deep";
  const std::string deep(100'000, '[');
  EXPECT_NE(refusal_of(deep), "") << "instead of an overflow of the stack";
  const auto is_deep = [](std::string_view text) {
    try {
      (void)Json::parse(text);
    } catch (const base::JsonError& error) {
      return error.too_deep();
    }
    return false;
  };
  EXPECT_TRUE(is_deep(deep));
  EXPECT_FALSE(is_deep("[1"));
}

TEST(Json, ThrowsTheKindThatIsAskedFor) {
  EXPECT_NE(refusal_of("{", {.kind = base::Errc::usage}), "");
  EXPECT_EQ(Json::try_parse("{"), std::nullopt);
  EXPECT_EQ(Json::try_parse("3")->as_integer(), 3);
}

TEST(Json, ReadsPythonsNumbersWhereAsked) {
  const Json json =
      Json::parse("[NaN, Infinity, -Infinity, nan, -inf, \"NaN\", 1]", {.non_finite = true});
  const auto raw = [&](std::size_t i) { return json.members()[i].second.raw(); };
  EXPECT_EQ(raw(0), "\"nan\"");
  EXPECT_EQ(raw(1), "\"inf\"");
  EXPECT_EQ(raw(2), "\"-inf\"");
  EXPECT_EQ(raw(3), "\"nan\"");
  EXPECT_EQ(raw(4), "\"-inf\"");
  EXPECT_EQ(raw(5), "\"NaN\"");
  EXPECT_EQ(json.members()[2].second.number(), -INFINITY);
  for (const char* bad : {"[NaN1]", "{NaN: 1}", "+1", "01", "1e400", "[Nan, x]", ""})
    EXPECT_NE(refusal_of(bad, {.non_finite = true}), "") << bad;
}

TEST(Json, OfEqualNamesTheLastCounts) {
  const Json json = Json::parse(R"({"a": 1, "b": 2, "\u0061": 3})");
  EXPECT_EQ(json.at("a").integer(), 3);
  EXPECT_EQ(json.members().size(), 3U);
  ASSERT_NE(json.repeated_name(), nullptr);
  EXPECT_EQ(*json.repeated_name(), "a");
  EXPECT_EQ(Json::parse(R"({"a": {"b": 1}, "b": [1, 1]})").repeated_name(), nullptr);
  EXPECT_EQ(Json::parse("[1, 1]").repeated_name(), nullptr);
}

TEST(Json, MissingOrMistypedMembersAreErrors) {
  const std::string text = R"({"a": "b", "n": 1.5})";
  const Json json = Json::parse(text);
  EXPECT_EQ(json.find("z"), nullptr);
  EXPECT_EQ(json.at("n").find("z"), nullptr);
  EXPECT_THROW((void)json.at("z"), base::Error);
  EXPECT_THROW((void)json.at("a").number(), base::Error);
  EXPECT_THROW((void)json.at("n").integer(), base::Error);
  EXPECT_THROW((void)json.at("n").text(), base::Error);
}

}  // namespace
