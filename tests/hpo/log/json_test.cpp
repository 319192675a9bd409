#include "hpo/log/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace hpo {
namespace {

std::string written(double x) {
  JsonWriter json;
  json.begin_object().field("x", x).end_object();
  return std::move(json).text();
}

TEST(Json, NumbersComeBackBitForBit) {
  for (double x :
       {0.0, -0.0, 0.1, 1e-320, 1.7976931348623157e308, 3.0, -1234567.875, 5e-324,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    std::string text = written(x);
    double back = Json::parse(text).at("x").number();
    EXPECT_EQ(back, x) << text;
    EXPECT_EQ(std::signbit(back), std::signbit(x)) << text;
  }
  EXPECT_TRUE(std::isnan(Json::parse(written(std::nan(""))).at("x").number()));
  EXPECT_EQ(written(std::nan("")), R"({"x": "nan"})");
}

TEST(Json, WritesNestedValuesWithOneSeparatorBetween) {
  JsonWriter json;
  json.begin_object()
      .field("a", 1)
      .key("b")
      .begin_array()
      .value("x")
      .value(2.5)
      .null()
      .begin_object()
      .end_object();
  json.end_array().field("c", true).end_object();
  EXPECT_EQ(std::move(json).text(), R"({"a": 1, "b": ["x", 2.5, null, {}], "c": true})");
}

TEST(Json, TextsSurviveEscaping) {
  std::string text = "quote \" backslash \\ line\nend \x01 tab\t umlaut \xc3\xa4";
  JsonWriter json;
  json.begin_array().value(text).end_array();
  std::string out = std::move(json).text();
  EXPECT_EQ(Json::parse(out).members()[0].second.text(), text);
}

TEST(Json, ReadsEscapesOfOtherWriters) {
  EXPECT_EQ(Json::parse(R"("\u00e4\u20ac\/\b")").text(), "\xc3\xa4\xe2\x82\xac/\b");
}

TEST(Json, RefusesWhatIsNotOneValue) {
  for (const char* bad : {"", "{", "[1,", "{\"a\"}", "{\"a\":}", "nul", "1 2", "\"open",
                          "\"\\u12\"", "\"\\q\"", "{a:1}", "01x"}) {
    EXPECT_THROW((void)Json::parse(bad), base::Error) << bad;
  }
}

TEST(Json, RefusesDeepNestingInsteadOfOverflowing) {
  EXPECT_THROW((void)Json::parse(std::string(100'000, '[')), base::Error);
}

TEST(Json, MissingOrMistypedMembersAreErrors) {
  std::string text = R"({"a": "b", "n": 1.5})";
  Json json = Json::parse(text);
  EXPECT_EQ(json.find("z"), nullptr);
  EXPECT_THROW((void)json.at("z"), base::Error);
  EXPECT_THROW((void)json.at("a").number(), base::Error);
  EXPECT_THROW((void)json.at("n").integer(), base::Error);
  EXPECT_THROW((void)json.at("n").text(), base::Error);
}

}  // namespace
}  // namespace hpo
