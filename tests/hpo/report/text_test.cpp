// Whatever bytes a study has, its page shows them and nothing runs or hides.

#include "hpo/report/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hpo::report {
namespace {

TEST(VisibleText, ShowsWhatHides) {
  EXPECT_EQ(visible("adam"), "adam");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  EXPECT_EQ(visible("\u202egnp.exe"), "\\u202egnp.exe") << "text from right to left";
  EXPECT_EQ(visible("a\u200eb\u2066c\u061cd"), "a\\u200eb\\u2066c\\u061cd");
  EXPECT_EQ(visible("a\u2028b\u2029c"), "a\\u2028b\\u2029c") << "line ends of JavaScript";
  EXPECT_EQ(visible("\ufeffa\u200bb"), "\\ufeffa\\u200bb");
  EXPECT_EQ(visible("\u00e4\u4e2d\U0001f600"), "\u00e4\u4e2d\U0001f600");
  EXPECT_EQ(visible("\U000e0041"), "\\u0e0041") << "invisible tags";
}

TEST(VisibleText, ReplacesWhatIsNoText) {
  EXPECT_EQ(visible("\xff\xfe"), "\ufffd\ufffd");
  EXPECT_EQ(visible("\xc0\xaf"), "\ufffd\ufffd") << "a slash in two bytes";
  EXPECT_EQ(visible("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "half a pair";
  EXPECT_EQ(visible("a\xc3"), "a\ufffd") << "a character that is cut off";
}

TEST(VisibleText, IsCutBetweenCharacters) {
  EXPECT_EQ(visible("abcdef", 3), "abc\u2026");
  EXPECT_EQ(visible("abc", 3), "abc");
  EXPECT_EQ(visible("\u4e2d\u4e2d\u4e2d", 2), "\u4e2d\u4e2d\u2026");
  EXPECT_EQ(visible(std::string(1000, 'x'), kLongName).size(), kLongName + 3);
}

TEST(EscapedText, IsNoTag) {
  EXPECT_EQ(escaped("</script><script>alert(1)</script>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(escaped("\"><img src=x onerror='a'>"),
            "&quot;&gt;&lt;img src=x onerror=&#x27;a&#x27;&gt;");
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
  EXPECT_EQ(escaped_lines("a<b\nc"), "a&lt;b\nc\n");
}

TEST(ScriptText, IsJsonThatEndsNoElement) {
  for (const std::string text : {"</script>", "<!--", "a & b", "quote \" and \\ slash", "\u2028",
                                 "]]>", "\xff", "-->", "line\nend"}) {
    const std::string json = script_text(text);
    EXPECT_EQ(json.find('<'), std::string::npos) << json;
    EXPECT_EQ(json.find('>'), std::string::npos) << json;
    EXPECT_EQ(json.find("\u2028"), std::string::npos) << json;
    EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), visible(text));
  }
}

TEST(Numbers, HaveFourDigits) {
  EXPECT_EQ(number(0.9833333333333333), "0.9833");
  EXPECT_EQ(number(1e-5), "1e-05");
  EXPECT_EQ(number(std::nullopt), "none");
  EXPECT_EQ(percent(0.986), "98.6%");
  EXPECT_EQ(percent_of(1, 3), "33%");
  EXPECT_EQ(percent_of(1, 0), "0%");
  EXPECT_EQ(flops(102'400), "102 kFLOP");
  EXPECT_EQ(score("valid.accuracy", 0.9749), "97.5%");
  EXPECT_EQ(score("valid.loss", 0.9749), "0.9749");
  EXPECT_EQ(score("test.balanced_accuracy", 1), "100%");
  EXPECT_EQ(score("accuracy", 97.5), "97.5") << "a program's accuracy in per cent";
}

}  // namespace
}  // namespace hpo::report
