// metric.regex: which group has which meaning.

#include "hpo/study/pattern.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"

namespace hpo {
namespace {

/// "STEP VALUE", "- VALUE", or what was no number.
std::string found(const std::string& expression, const std::string& line) {
  Pattern::NoNumber other;
  const auto match = Pattern(expression).find(line, &other);
  if (!match) return base::cat(other.is_step ? "no step " : "no value ", other.text);
  return base::cat(match->step ? std::to_string(*match->step) : "-", " ", match->value);
}

std::string refusal(const std::string& expression) {
  try {
    (void)Pattern(expression);
    return "taken";
  } catch (const base::Error& error) {
    return error.what();
  }
}

TEST(Pattern, NamesSayWhatAGroupIs) {
  const std::string line = "loss: 0.5 at step 3 of 9";
  EXPECT_EQ(found("loss: (?P<value>\\S+) at step (?P<step>\\d+)", line), "3 0.5");
  EXPECT_EQ(found("loss: (?P<value>\\S+) at step (\\d+)", line), "3 0.5");
  EXPECT_EQ(found("loss: (\\S+) at step (?P<step>\\d+)", line), "3 0.5");
  EXPECT_EQ(found("loss: (?P<value>\\S+) at step (?P<step>\\d+) of (\\d+)", line), "3 0.5");
  EXPECT_EQ(found("(loss|error): (?P<value>\\S+) at (step|epoch) \\d+", line), "- 0.5");
  EXPECT_EQ(found("(?P<step>\\d+) of (?P<value>\\d+)", line), "3 9");
}

TEST(Pattern, WithoutNamesTheFirstOfTwoGroupsIsTheStep) {
  EXPECT_EQ(found("(\\d+): (\\S+)", "4: 0.25"), "4 0.25");
  EXPECT_EQ(found("x (\\S+)", "x 7"), "- 7");
  EXPECT_EQ(found("(?P<any>\\d+): (?P<other>\\S+)", "4: 0.25"), "4 0.25");
  EXPECT_EQ(found("loss (\\S+) at (\\d+)", "loss 0.5 at 3"), "no step 0.5");
  EXPECT_EQ(found("(\\d+): (\\S+)", "4: much"), "no value much");
}

TEST(Pattern, RefusesGroupsThatNobodyCanTellApart) {
  EXPECT_NE(refusal("(a) (b) (c)").find("has 3 groups, expected one for the value"),
            std::string::npos);
  EXPECT_NE(refusal("(?P<step>a) (b) (c)").find("has 3 groups"), std::string::npos);
  EXPECT_NE(refusal("at (?P<step>\\d+)").find("has 1 group, expected one for the value"),
            std::string::npos);
  EXPECT_EQ(refusal("(?:a|b) (\\d+)"), "taken");
}

}  // namespace
}  // namespace hpo
