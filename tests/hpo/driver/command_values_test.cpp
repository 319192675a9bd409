// Values of programs that nothing can be compared with.

#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "tests/hpo/driver/command_studies.h"

namespace hpo {

namespace {

/// The one trial that a script makes.
class CommandValues : public CommandStudies {
 protected:
  TrialRow trial_of(const std::string& script, const std::string& metric,
                    const std::string& more = "") {
    std::filesystem::remove_all(run());
    sweep(study(script, base::cat("metric: ", metric, "\nmethod: grid\n", more,
                                  "parameters: {x: {values: [1]}}\n")));
    return trials().at(0);
  }
  static std::string reports(const std::string& line) {
    return base::cat("echo '", line, "' >> $TRELLIS_METRICS\n");
  }
};

TEST_F(CommandValues, ThatAreInfinitelyGoodFail) {
  const std::string down = "{name: loss, goal: minimize}", up = "{name: loss, goal: maximize}";
  for (const auto& [script, metric] :
       {std::pair(reports(R"({"step": 2, "loss": -Infinity})"), down),
        std::pair(reports(R"({"step": 2, "loss": "inf"})"), up),
        std::pair(std::string("echo loss -inf at 2\n"),
                  std::string("{name: loss, goal: minimize, regex: 'loss (?P<value>\\S+) at "
                              "(?P<step>\\d+)'}"))}) {
    const TrialRow row = trial_of(script, metric);
    EXPECT_EQ(row.state, TrialState::failed) << script;
    EXPECT_EQ(row.cause, Cause::diverged) << script;
    EXPECT_EQ(row.message, "loss is infinite at step 2");
  }
  const TrialRow second = trial_of(reports(R"({"step": 1, "loss": 1, "size": -Infinity})"),
                                   "[{name: loss, goal: minimize}, {name: size, goal: minimize}]");
  EXPECT_EQ(second.cause, Cause::diverged) << second.message;
  EXPECT_EQ(second.message, "size is infinite at step 1");
}

TEST_F(CommandValues, ThatAreInfinitelyBadCount) {
  EXPECT_EQ(trial_of(reports(R"({"loss": Infinity})"), "{name: loss, goal: minimize}").state,
            TrialState::complete);
  EXPECT_EQ(trial_of(reports(R"({"loss": -Infinity})"), "{name: loss, goal: maximize}").state,
            TrialState::complete);
}

/// The rule and the sampler go on with what is left.
TEST_F(CommandValues, ThatAreInfinitelyGoodAreNeverTheBest) {
  for (const char* search :
       {"method: tpe\nearly_stop: {type: asha, min: 1, eta: 2, max: 4}\n",
        "method: gp\nearly_stop: {type: median, startup: 2, min: 1}\n", "method: random\n"}) {
    std::filesystem::remove_all(run());
    sweep(
        study("for i in 1 2 3 4; do v=$1; [ $i = 3 ] && case $1 in 0.[5-9]*) v=-Infinity;; esac\n"
              "echo \"{\\\"step\\\": $i, \\\"loss\\\": $v}\" >> $TRELLIS_METRICS; done\n",
              base::cat("metric: {name: loss, goal: minimize}\nparallel: 2\n", search,
                        "parameters: {x: {min: 0.0, max: 1.0}}\nlimits: {trials: 10}\n")));
    for (const TrialRow& row : trials()) {
      EXPECT_FALSE(row.state == TrialState::complete && row.value < 0) << search;
      if (row.state == TrialState::failed) {
        EXPECT_EQ(row.cause, Cause::diverged) << row.message;
      }
    }
  }
}

}  // namespace

}  // namespace hpo
