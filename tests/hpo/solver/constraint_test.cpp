#include "hpo/solver/constraint.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hpo {
namespace {

bool holds(std::string_view script, const Params& params) {
  return read_constraint(script).holds(params);
}

TEST(Constraint, ComparesTextsAndNumbers) {
  EXPECT_TRUE(holds(R"(return a == "x")", {{"a", "x"}}));
  EXPECT_FALSE(holds(R"(return a == "x")", {{"a", "y"}}));
  EXPECT_TRUE(holds("return n == 3", {{"n", std::int64_t{3}}}));
  EXPECT_TRUE(holds("return n==-0.5;", {{"n", -0.5}}));
  EXPECT_TRUE(holds("return 'x' == a", {{"a", "x"}}));
}

TEST(Constraint, AbsentEqualsNothing) { EXPECT_FALSE(holds(R"(return a == "x")", {})); }

TEST(Constraint, AndBindsTighterThanOr) {
  constexpr std::string_view script = R"(return a == "x" or b == "y" and c == "z")";
  EXPECT_TRUE(holds(script, {{"a", "x"}}));
  EXPECT_FALSE(holds(script, {{"b", "y"}}));
  EXPECT_TRUE(holds(script, {{"b", "y"}, {"c", "z"}}));
  constexpr std::string_view other = R"(return (a == "x" or b == "y") and c == "z")";
  EXPECT_FALSE(holds(other, {{"a", "x"}}));
  EXPECT_TRUE(holds(other, {{"a", "x"}, {"c", "z"}}));
}

TEST(Constraint, RefusesWhatItCannotReadWithItsText) {
  for (const char* script :
       {"", "a == 1", "return", "return a", "return a ~= 1", "return a == b", "return 1 == 2",
        "return a == \"x", "return a == 1 or", "return (a == 1", "return a == 1 b == 2",
        "return not (a == 1)", "return f(a) == 1", "return a == 'x\\n'", "while true do end"}) {
    try {
      (void)read_constraint(script);
      ADD_FAILURE() << script;
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find("expected `return NAME == VALUE`"),
                std::string::npos);
    }
  }
}

std::string why_refused(std::string_view script) {
  try {
    (void)read_constraint(script);
  } catch (const base::Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(", expected"));
  }
  return "";
}

TEST(Constraint, NamesThePartThatIsNotUnderstood) {
  EXPECT_EQ(why_refused(R"(return o == "sgd" and n >= 3)"),
            R"(constraint `return o == "sgd" and n >= 3`: `n >= 3` is not supported)");
  EXPECT_EQ(why_refused("return a == 1 or 2x == b"),
            "constraint `return a == 1 or 2x == b`: `2x == b` is not supported");
  EXPECT_EQ(why_refused("return a == 1 and"), "constraint `return a == 1 and` ends too early");
  const std::string deep = why_refused("return " + std::string(100, '('));
  EXPECT_NE(deep.find("has more than 32 parentheses in another"), std::string::npos) << deep;
}

TEST(Constraint, BoundsItsSize) {
  std::string script = "return ";
  for (int i = 0; i < 9; ++i) script += R"((a == 1 or b == 2) and )";
  EXPECT_THROW((void)read_constraint(script + "c == 3"), base::Error);
  EXPECT_THROW((void)read_constraint("return " + std::string(10000, '(')), base::Error);
}

}  // namespace
}  // namespace hpo
