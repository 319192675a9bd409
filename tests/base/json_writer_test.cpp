#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"

namespace {

using base::JsonStyle;
using base::JsonWriter;

/// A value of each kind.
std::string sample(JsonStyle style) {
  JsonWriter json(style);
  json.begin_object().field("a", 1).key("b").begin_array().value("x").value(2.0).null();
  json.begin_object().end_object().begin_array().end_array().end_array();
  json.field("c", true).key("d").list(std::vector<int>{1, 2}).field("e", std::optional<int>());
  json.key("f").raw("[0]").field("g", 0.25F).end_object();
  return std::move(json).text();
}

TEST(JsonWriter, HasThreeStyles) {
  EXPECT_EQ(sample(JsonStyle::spaced),
            R"({"a": 1, "b": ["x", 2, null, {}, []], "c": true, "d": [1, 2], "e": null, )"
            R"("f": [0], "g": 0.25})");
  EXPECT_EQ(sample(JsonStyle::compact),
            R"({"a":1,"b":["x",2.0,null,{},[]],"c":true,"d":[1,2],"e":null,"f":[0],"g":0.25})");
  const auto theirs = nlohmann::ordered_json::parse(
      R"({"a":1,"b":["x",2.0,null,{},[]],"c":true,"d":[1,2],"e":null,"f":0,"g":0.25})");
  std::string indented = theirs.dump(2);
  indented.replace(indented.find("\"f\": 0"), 6, "\"f\": [0]");
  EXPECT_EQ(sample(JsonStyle::indented), indented);
}

TEST(JsonWriter, WritesIntegersOf64Bits) {
  JsonWriter json;
  json.begin_array().value(UINT64_MAX).value(INT64_MIN).value(std::uint32_t{4'294'967'295});
  EXPECT_EQ(std::move(json.end_array()).text(),
            "[18446744073709551615, -9223372036854775808, 4294967295]");
}

TEST(JsonWriter, WritesWhatIsNoNumberByTheStyle) {
  const auto written = [](JsonStyle style) {
    JsonWriter json(style);
    json.begin_array().value(std::nan("")).value(INFINITY).value(-INFINITY).end_array();
    return std::move(json).text();
  };
  EXPECT_EQ(written(JsonStyle::spaced), R"(["nan", "inf", "-inf"])");
  EXPECT_EQ(written(JsonStyle::compact), "[null,null,null]");
}

TEST(JsonWriter, EscapesByTheStyle) {
  const std::string text = "q\" b\\ \n\t\r\b\f \x01\x1f\x7f \xc3\xa4 \xf0\x9f\x98\x80";
  const auto written = [&](JsonStyle style) {
    JsonWriter json(style);
    return std::move(json.value(text)).text();
  };
  const std::string spaced = written(JsonStyle::spaced), compact = written(JsonStyle::compact);
  EXPECT_EQ(spaced,
            "\"q\\\" b\\\\ \\n\\t\\u000d\\u0008\\u000c \\u0001\\u001f\x7f \xc3\xa4 "
            "\xf0\x9f\x98\x80\"");
  EXPECT_EQ(compact, nlohmann::json(text).dump());
  EXPECT_EQ(base::quote_json(text), spaced);
  EXPECT_EQ(base::Json::parse(spaced).text(), text);
  EXPECT_EQ(base::Json::parse(compact).text(), text);
}

TEST(JsonWriter, MendsUtf8) {
  EXPECT_EQ(base::quote_json("a\xff"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(base::quote_json("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"")
      << "a lone surrogate is not UTF-8";
}

}  // namespace
