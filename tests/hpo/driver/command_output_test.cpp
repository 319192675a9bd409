// What programs print, in time for the rule that is to stop them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/executable.h"
#include "base/file.h"
#include "base/text.h"
#include "hpo/driver/programs/late_reports.h"
#include "tests/hpo/driver/command_studies.h"
#include "tests/support/warnings.h"

namespace hpo {

namespace {

constexpr const char* kPrinted =
    "metric: {name: loss, goal: minimize, regex: 'step (\\d+) loss (\\S+)'}\nparallel: 1\n"
    "method: grid\n";
/// The second trial is stopped at its first report.
constexpr const char* kTwo =
    "early_stop: {threshold: {worst: 1.5}}\n"
    "parameters: {x: {values: [1, 2]}}\nlimits: {trial_time: 25s}\n";

class CommandOutput : public CommandStudies {
 protected:
  void SetUp() override { ::unsetenv("PYTHONUNBUFFERED"); }

  /// Expects that the second trial is stopped while it sleeps.
  void expect_stopped(const std::string& script, const std::string& more = "") {
    std::filesystem::remove_all(run());
    sweep(study(script, base::cat(kPrinted, kTwo, more)));
    ASSERT_EQ(trials().size(), 2U);
    EXPECT_EQ(trials()[0].state, TrialState::complete) << trials()[0].message << script;
    EXPECT_EQ(trials()[1].state, TrialState::stopped) << script;
  }
};

TEST_F(CommandOutput, ComesLineByLineOfWhatDoesNotFlush) {
  // Python, and what prints by C's stdio at the end of a pipe.
  expect_stopped(
      "exec python3 -c 'import sys, time; print(\"step 1 loss\", sys.argv[1]); "
      "time.sleep(60 if sys.argv[1] == \"2\" else 0)' $1\n");
  const std::string prints = "(echo step 1 loss $1; [ $1 = 1 ] || sleep 60) | ";
  for (const char* filter : {"sed s/a/b/\n", "cut -c1-80\n", "tr a b\n"})
    expect_stopped(prints + filter);
}

TEST_F(CommandOutput, KeepsWhatTheEnvironmentSays) {
  ::setenv("PYTHONUNBUFFERED", "", 1);
  const StudySpec file =
      study("[ \"${PYTHONUNBUFFERED-unset}\" = '' ] && echo step 1 loss 4 || echo step 1 loss 5\n",
            base::cat(kPrinted, "parameters: {x: {values: [1]}}\n"));
  sweep(file);
  EXPECT_EQ(trials()[0].value, 4);
  ::unsetenv("PYTHONUNBUFFERED");
}

TEST_F(CommandOutput, IsLeftAloneWhereNobodyReadsItOrTheFileSaysSo) {
  const char* const script =
      "n=0; [ -z \"$PYTHONUNBUFFERED$TRELLIS_OUTPUT\" ] || n=1\n"
      "echo \"{\\\"loss\\\": $n}\" >> $TRELLIS_METRICS; echo step 1 loss $n\n";
  const char* const one = "method: grid\nparameters: {x: {values: [1]}}\n";
  sweep(study(script, base::cat("metric: {name: loss, goal: minimize}\n", one)));
  EXPECT_EQ(trials()[0].value, 0);
  std::filesystem::remove_all(run());
  sweep(study(script, base::cat(kPrinted, "output: pipe\nparameters: {x: {values: [1]}}\n")));
  EXPECT_EQ(trials()[0].value, 0);
  std::filesystem::remove_all(run());
  sweep(study(script, base::cat(kPrinted, "parameters: {x: {values: [1]}}\n")));
  EXPECT_EQ(trials()[0].value, 1);
  std::filesystem::remove_all(run());
  sweep(
      study(script,
            base::cat("metric: {name: loss, goal: minimize}\nlimits: {no_progress: 30s}\n", one)));
  EXPECT_EQ(trials()[0].value, 1) << "silence counts";
}

TEST_F(CommandOutput, IsATerminalWhereTheFileSaysSo) {
  const char* const one = "output: terminal\nparameters: {x: {values: [1]}}\n";
  sweep(study("[ -t 1 ] && [ -t 2 ] && [ ! -t 0 ] && echo step 1 loss 7; stty size <&1 >&2\n",
              base::cat(kPrinted, one)));
  EXPECT_EQ(trials()[0].value, 7);
  const std::string log = base::read_file(run() / "trials/0000/log");
  EXPECT_TRUE(log.starts_with("step 1 loss 7\n")) << "no carriage returns: " << log;
  EXPECT_NE(log.find("50 200"), std::string::npos) << log;
  expect_stopped("(echo step 1 loss $1; [ $1 = 1 ] || sleep 60) | sed s/a/b/\n",
                 "output: terminal\n");
  if (!base::find_executable("perl", "/")) GTEST_SKIP() << "no perl";
  expect_stopped("exec perl -e 'print \"step 1 loss $ARGV[0]\\n\"; sleep 60 if $ARGV[0] > 1' $1\n",
                 "output: terminal\n");
}

TEST_F(CommandOutput, MayGoElsewhereWhenAStudyGoesOn) {
  const std::string more = base::cat(kPrinted, "parameters: {x: {values: [1, 2]}}\n");
  sweep(study("echo step 1 loss $1\n", more + "limits: {trials: 1}\n"));
  sweep(
      study("[ -t 1 ] && echo step 1 loss $1\n", more + "limits: {trials: 2}\noutput: terminal\n"));
  EXPECT_EQ(trials()[1].value, 2);
  EXPECT_NE(notes_.text.find("output is now terminal (was not there)"), std::string::npos)
      << notes_.text;
}

/// Prints `steps` when it ends.
std::string holds_back(int steps) {
  std::string lines;
  for (int step = 1; step <= steps; ++step) lines += base::cat("step ", step, " loss $1\\n");
  return base::cat("sleep 0.7; printf \"", lines, "\"\n");
}

TEST_F(CommandOutput, SaysOnceThatReportsComeTooLateForTheRule) {
  const auto warnings_of = [&](const std::string& script, const std::string& more) {
    std::filesystem::remove_all(run());
    support::Warnings warnings;
    sweep(study(script, more));
    return warnings.lines;
  };
  const std::string rule = base::cat(kPrinted, kTwo);
  const auto said = warnings_of(holds_back(3), rule);
  ASSERT_EQ(said.size(), 1U) << "both trials are late";
  EXPECT_TRUE(said[0].starts_with("trial 0: all of its 3 reports came when its program ended, "))
      << said[0];
  EXPECT_NE(said[0].find("write output: terminal into the study file"), std::string::npos);
  const auto terminal = warnings_of(holds_back(4), rule + "output: terminal\n");
  ASSERT_EQ(terminal.size(), 1U);
  EXPECT_EQ(terminal[0].find("output: terminal"), std::string::npos) << "it is one already";
  const auto file = warnings_of(
      "sleep 0.7; for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"loss\\\": 1}\"; done >> "
      "$TRELLIS_METRICS\n",
      base::cat("metric: {name: loss, goal: minimize}\nmethod: grid\nparallel: 1\n", kTwo));
  ASSERT_EQ(file.size(), 1U);
  EXPECT_NE(file[0].find("flush $TRELLIS_METRICS"), std::string::npos) << file[0];
  EXPECT_TRUE(
      warnings_of(holds_back(3), base::cat(kPrinted, "parameters: {x: {values: [1]}}\n")).empty())
      << "no rule waits for them";
  EXPECT_TRUE(warnings_of(holds_back(2), rule).empty()) << "figures of an end";
  EXPECT_TRUE(
      warnings_of("echo step 1 loss $1; sleep 0.7; echo step 2 loss 1; echo step 3 loss 1\n", rule)
          .empty());
}

TEST(LateReports, AreThoseOfTheLastTenthOfALongRun) {
  using std::chrono::milliseconds;
  const base::Moment begun = base::now();
  const auto late = [&](std::size_t count, int first, int took) {
    LateReports reports;
    reports.begin(begun);
    reports.came(0, begun);
    reports.came(count, begun + milliseconds(first));
    return reports.are_late(milliseconds(took));
  };
  EXPECT_TRUE(late(3, 1000, 1000));
  EXPECT_TRUE(late(27, 910, 1000));
  EXPECT_FALSE(late(27, 890, 1000));
  EXPECT_FALSE(late(2, 1000, 1000));
  EXPECT_FALSE(late(27, 400, 400)) << "too short to save anything";
  LateReports none;
  EXPECT_FALSE(none.are_late(milliseconds(9000)));
}

TEST_F(CommandOutput, ShowsValuesThroughColorsAndProgressBars) {
  const std::map<std::string, std::vector<std::int64_t>> cases{
      {R"(\033[1mstep 1\033[0m loss \033[32;1m0.5\033[0m\n)", {1}},
      {R"(step 1 loss 0.5\r\033[Kstep 2 loss 0.25\rstep 3 loss 0.125\033[K\n)", {1, 2, 3}},
      {R"(step 1 loss 0.5\b\b\b\b\b\bstep 2 loss 0.25\033[2Kstep 3 loss 0.5\033[1Astep 4 loss 1\n)",
       {1, 2, 3, 4}},
      {R"(\033]0;a title\007step 1 loss 0.5\n\033(Bstep 2 loss\033[38;5;9m 0.5\033[m\n)", {1, 2}},
      {R"(\033[?25lstep 1 loss 0.5\033[?25h\n)", {1}},
  };
  for (const auto& [printed, steps] : cases) {
    std::filesystem::remove_all(run());
    sweep(study(base::cat("printf '", printed, "'\n"),
                base::cat(kPrinted, "parameters: {x: {values: [1]}}\n")));
    EXPECT_EQ(steps_of(0), steps) << printed << ": " << trials()[0].message;
  }
}

TEST_F(CommandOutput, OfWhatReportsNothingIsSaidHowToReadIt) {
  const auto failure = [&](const std::string& printed, const std::string& metric) {
    std::filesystem::remove_all(run());
    (void)sweep(study(base::cat("printf '", printed, "'\n"),
                      base::cat("metric: {goal: minimize, ", metric,
                                "}\nmethod: grid\nparameters: {x: {values: [1]}}\n")));
    return trials()[0].message;
  };
  const auto ends = [](const std::string& text, const std::string& end) {
    EXPECT_TRUE(text.ends_with(end)) << text << "\nexpected at its end: " << end;
  };
  ends(failure(R"(epoch=3\nacc=0.9\n)", "name: acc"),
       R"(; it printed "acc=0.9", which metric.regex: 'acc=(\S+)' reads)");
  ends(failure(R"(accuracy: 0.91, f1: 0.5\n)", "name: acc"),
       R"(; it printed "accuracy: 0.91", which metric.regex: 'accuracy: ([^\s,]+)' reads)");
  ends(failure(R"(val.loss = 3e-2\n)", "name: loss"),
       R"(; it printed "val.loss = 3e-2", which metric.regex: 'val\.loss = (\S+)' reads)");
  ends(failure(R"(\033[31mscore:\033[0m 7\n)", "name: loss"),
       R"(; it printed "score: 7", which metric.regex: 'score: (\S+)' reads)");
  ends(failure(R"(loss=2\n)", "name: loss, regex: 'los: (.*)'"),
       R"(metric.regex matches; it printed "loss=2", which metric.regex: 'loss=(\S+)' reads)");
  ends(failure(R"(12:30:05 done\n)", "name: loss"), "in the file $TRELLIS_METRICS");
  ends(failure(R"(F1 Score: 0.62, AUC: 0.7\n)", "name: f1"),
       R"(; it printed "F1 Score: 0.62", which metric.regex: 'F1 Score: ([^\s,]+)' reads)");
  ends(failure(R"(Epoch 3 - Val Loss: 0.4 - lr: 0.1\n)", "name: loss"),
       R"(; it printed "Val Loss: 0.4", which metric.regex: 'Val Loss: (\S+)' reads)");
  ends(failure(R"(Accuracy: 0.9, x=1\n)", "name: val_accuracy"),
       R"(; it printed "Accuracy: 0.9", which metric.regex: 'Accuracy: ([^\s,]+)' reads)");
  ends(failure(R"(x=1\nx: 1\n)", "name: loss"), "in the file $TRELLIS_METRICS");  // a parameter
}

TEST_F(CommandOutput, AFailureNamesTheErrorAndNoAdviceBelowIt) {
  const auto message = [&](const std::string& printed) {
    std::filesystem::remove_all(run());
    (void)sweep(study(base::cat("printf '", printed, "'\nexit 1\n"),
                      "metric: {goal: minimize, name: loss}\nmethod: grid\n"
                      "parameters: {x: {values: [1]}}\n"));
    return trials()[0].message;
  };
  const std::string advice =
      "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.";
  EXPECT_EQ(message(R"(ValueError: no data\n\n)" + advice + R"(\n)"),
            "exited with status 1; it printed last: ValueError: no data");
  EXPECT_EQ(message(R"(KeyError: 1\n  \n)"), "exited with status 1; it printed last: KeyError: 1");
  EXPECT_EQ(message(R"(no config\n\nSearch path:\n\tprovider=main\n\n)" + advice + R"(\n)"),
            "exited with status 1; it printed last: no config");
  EXPECT_EQ(message(advice + R"(\n)"), "exited with status 1");
  EXPECT_TRUE(message(R"(UsageError: No API key configured. Use wandb login.\n)")
                  .ends_with("login.; with library: wandb in the study file, a trial needs no "
                             "account"));
}

}  // namespace

}  // namespace hpo
