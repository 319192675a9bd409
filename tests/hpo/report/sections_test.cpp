// Each section's heading is the answer that the study's log gives.

#include "hpo/report/section.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Sections : public testing::Test {
 protected:
  [[nodiscard]] Gathered gathered(made::Made& made, ReportOptions options = {}) const {
    return gather(made.reader(), options);
  }
  [[nodiscard]] static std::string heading(const std::optional<Section>& section) {
    return section ? section->heading : "no section";
  }

  /// Forty trials with parameters from shares between 0 and 1. Those beyond a bound diverge.
  static void add_diverging(made::Made& made, const std::string& name, double bound,
                            Params (*params_at)(double share)) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Params params = params_at(made::spread(i, 0.618034));
      made.create(i, params);
      if (std::get<double>(*params.find(name)) > bound) {
        made.end(i, TrialState::failed, Cause::diverged, "it diverged");
        continue;
      }
      made.report(i, 27, 0.5 + made::spread(i, 0.3) / 10);
      made.end(i, TrialState::complete);
    }
    made.add({}, Finished{Finish::trials, "40 trials"});
  }

  support::TempFolder folder_;
};

TEST_F(Sections, OfAFinishedStudy) {
  made::Made made(folder_.path());
  made::add_sixty(made);
  made::judge(made, 22);
  made.note("active_seconds", "62");
  const Gathered study = gathered(made);
  const Section result = result_section(study);
  EXPECT_EQ(result.heading,
            "Trial 22 is better than logistic regression by 0.0167 in accuracy on 359 unseen rows "
            "(95%: 0.000423 to 0.0328).");
  EXPECT_EQ(result.lead,
            "It scores 98.6% (test.accuracy) on 359 unseen rows, between 96.8% and 99.4% (95%). "
            "The search saw valid.accuracy = 97.1% after 27 epochs.");
  EXPECT_NE(result.body.find("2 other trials are within one standard error of it."),
            std::string::npos);
  EXPECT_NE(result.body.find("logistic regression"), std::string::npos);
  EXPECT_NE(result.body.find("<b class=\"wrong\">3</b>"), std::string::npos) << result.body;
  EXPECT_EQ(
      heading(progress_section(study)),
      "The search has settled: the best is trial 22 of 60, and the 37 trials after it brought "
      "nothing better.");
  const ParameterColumn& first = study.parameters.front();
  EXPECT_EQ(heading(parameters_section(study)),
            base::cat(first.name, " mattered most: ", std::lround(100 * first.share),
                      "% of what sets the best tenth apart."));
  EXPECT_GT(first.share, 0.5);
  EXPECT_EQ(heading(curves_section(study)),
            "The winner was at its best at its last report, at epoch 27.");
  EXPECT_EQ(curves_section(study)->lead,
            "144 reports from 60 trials. A stopping rule ended 48 trials early.");
  EXPECT_EQ(heading(cost_section(study)), "60 trials took 1 min 2 s.");
  EXPECT_NE(cost_section(study)->body.find(
                "Early stopping saved 67% of the epochs: 532 of 1620 were run."),
            std::string::npos);
  EXPECT_EQ(heading(trials_section(study)), "The best 10 of 60 trials range from 97.1% to 62%.");
  EXPECT_EQ(heading(failures_section(study)), "no section");
  EXPECT_EQ(heading(metrics_section(study)), "no section");
  EXPECT_EQ(heading(lineage_section(study)), "no section");
  EXPECT_EQ(heading(shapes_section(study)), "no section");
}

TEST_F(Sections, OfAStudyThatOthersRun) {
  made::Made made(folder_.path());
  made.note(kAskedFact, "1");
  made::add_sixty(made, 4);
  const Gathered study = gathered(made);
  EXPECT_NE(progress_section(study)->lead.find("Another program runs its trials: 4 of 4 ended."),
            std::string::npos)
      << progress_section(study)->lead;
  EXPECT_EQ(repeat_section(study).heading, "Its trials were run by another program.");
  EXPECT_EQ(repeat_section(study).body.find("trellis sweep"), std::string::npos);
}

TEST_F(Sections, SayHowBusyDevicesWere) {
  made::Made made(folder_.path());
  made::add_sixty(made, 20);
  made.note("active_seconds", "8");
  made.use();
  const Gathered study = gathered(made);
  const auto cost = cost_section(study);
  EXPECT_EQ(heading(cost), "20 trials took 8.0 s on 2 devices, 75% busy.");
  EXPECT_NE(cost->body.find("<th>core 1</th>"), std::string::npos);
  EXPECT_NE(cost->body.find("idle: late"), std::string::npos);
  EXPECT_NE(cost->body.find("data-chart=\"devices\""), std::string::npos);
  EXPECT_NE(cost->body.find("data-chart=\"timeline\""), std::string::npos);
}

TEST_F(Sections, SayThatAPageWithoutTimesHasNone) {
  made::Made made(folder_.path());
  made::add_sixty(made, 20);
  made.use();
  const Gathered study = gathered(made, {.with_times = false});
  EXPECT_EQ(heading(cost_section(study)), "20 trials in numbers.");
  EXPECT_EQ(cost_section(study)->body.find("data-chart"), std::string::npos);
}

TEST_F(Sections, OfOneTrial) {
  made::Made made(folder_.path());
  made::add_sixty(made, 3);
  made.add({}, Finished{Finish::trials, "3 trials"});
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading,
            "Trial 2 is the best of 3 trials: valid.accuracy = 67.8%.");
  EXPECT_EQ(heading(progress_section(study)),
            "Too few trials to say whether more would help: 3 ended.");
  EXPECT_EQ(heading(parameters_section(study)),
            "Too few trials to say what mattered: 3 ended with a value, and 10 are needed.");
  EXPECT_EQ(heading(next_section(study)), "no section");
  EXPECT_NE(repeat_section(study).body.find("trellis sweep DIR/"), std::string::npos)
      << repeat_section(study).body;
}

TEST_F(Sections, OfNoTrial) {
  made::Made made(folder_.path());
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading, "No trial has begun yet.");
  for (const auto& section :
       {progress_section(study), parameters_section(study), next_section(study),
        curves_section(study), cost_section(study), trials_section(study)})
    EXPECT_EQ(heading(section), "no section");
}

TEST_F(Sections, WhereNoneIsComplete) {
  made::Made made(folder_.path());
  constexpr std::int64_t kSteps[] = {1, 3};
  for (std::uint64_t i = 0; i < 4; ++i)
    made.trial(i, made::params_of(i), std::span(kSteps).first(1 + i % 2), TrialState::stopped);
  made.add({}, Finished{Finish::trials, "4 trials"});
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading.find("No trial is complete; trial "), 0U)
      << result_section(study).heading;
  EXPECT_NE(result_section(study).heading.find("stopped at epoch"), std::string::npos);
}

TEST_F(Sections, WhereAllFailed) {
  made::Made made(folder_.path());
  for (std::uint64_t i = 0; i < 12; ++i) {
    made.create(i, made::params_of(i));
    made.end(i, TrialState::failed, i < 10 ? Cause::diverged : Cause::error,
             i < 10 ? "loss is nan" : "cannot read /users/ann/x.py");
  }
  made.add({}, Finished{Finish::failed, "12 trials failed"});
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading, "All 12 trials failed: 10 diverged, 2 error.");
  EXPECT_EQ(heading(failures_section(study)),
            "12 of 12 trials failed: 10 diverged, 2 by an error.");
  EXPECT_NE(failures_section(study)->body.find("cannot read x.py"), std::string::npos);
  EXPECT_EQ(heading(progress_section(study)), "no section");
}

TEST_F(Sections, OfValuesThatAreNoNumbers) {
  made::Made made(folder_.path());
  for (std::uint64_t i = 0; i < 3; ++i) {
    made.create(i, made::params_of(i));
    made.report(i, 1, kNan);
    made.end(i, TrialState::complete);
  }
  made.add({}, Finished{Finish::trials, "3 trials"});
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading, "No trial has a number as valid.accuracy.");
  EXPECT_EQ(heading(curves_section(study)), "no section");
  EXPECT_EQ(heading(trials_section(study)), "All 3 trials");
}

TEST_F(Sections, OfSeveralMetricsAndBounds) {
  StudyFacts facts = made::facts();
  facts.objective.others = {{.name = "size", .maximize = false}};
  facts.objective.subject_to = {{.metric = "size", .max = 200}};
  made::Made made(folder_.path(), facts);
  for (std::uint64_t i = 0; i < 20; ++i) {
    made.create(i, made::params_of(i));
    made.report(i, 27, made::value_of(made::params_of(i), 27),
                {{"size", 20.0 * static_cast<double>(i)}});
    made.end(i, TrialState::complete);
  }
  made.add({}, Finished{Finish::trials, "20 trials"});
  const Gathered study = gathered(made);
  const auto section = metrics_section(study);
  EXPECT_EQ(heading(section),
            base::cat(study.front->trials.size(),
                      " trials are on the Pareto front of valid.accuracy and size."));
  EXPECT_NE(section->lead.find("9 trials break a bound: size <= 200."), std::string::npos)
      << section->lead;
  EXPECT_GT(study.front->trials.size(), 1U);
}

TEST_F(Sections, OfAProgramThatRunsStill) {
  StudyFacts facts = made::facts();
  facts.metric = "loss";
  facts.objective.maximize = false;
  made::Made made(folder_.path(), facts);
  made.note(kStepsFact, "1");
  for (std::uint64_t i = 0; i < 3; ++i) made.create(i, made::params_of(i));
  made.add(0, Reported{.step = 4, .epochs = 4, .value = 0.25, .metrics = {{"loss", 0.25}}});
  const Gathered study = gathered(made);
  EXPECT_EQ(result_section(study).heading, "Trial 0 leads after 0 of 3 trials: loss = 0.25.");
  EXPECT_NE(result_section(study).lead.find("Its program reported this value"), std::string::npos);
  EXPECT_EQ(heading(curves_section(study)), "The winner reported once, at step 4.");
  EXPECT_NE(progress_section(study)->lead.find("The study was stopped before its end"),
            std::string::npos);
}

TEST_F(Sections, SaySoWhereNothingIsToBeChanged) {
  made::Made made(folder_.path());
  made::add_sixty(made, 60);
  made.add({}, Finished{Finish::trials, "60 trials"});
  const auto next = next_section(gathered(made));
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->heading.starts_with("Next time ")) << next->heading;
}

TEST_F(Sections, TellFailuresApartByWhatTheySaid) {
  made::Made made(folder_.path());
  const char* const messages[] = {"exited with status 3", "no value came", "exited with status 3"};
  for (std::uint64_t i = 0; i < 3; ++i) {
    made.create(i, {{"x", static_cast<double>(i)}});
    made.end(i, TrialState::failed, Cause::error, messages[i]);
  }
  made.add({}, Finished{Finish::trials, "3 trials"});
  const Gathered study = gathered(made);
  ASSERT_EQ(study.failures.size(), 2);
  EXPECT_EQ(study.failures[0].numbers, "0, 2");
  EXPECT_EQ(study.failures[1].message, "no value came");
  EXPECT_EQ(heading(failures_section(study)), "3 of 3 trials failed: 3 by an error.");
}

TEST_F(Sections, CountMessagesThatDifferInNumbersAsOne) {
  made::Made made(folder_.path());
  for (std::uint64_t i = 0; i < 30; ++i) {
    made.create(i, {{"x", static_cast<double>(i)}});
    made.end(i, TrialState::failed, Cause::error,
             i % 3 == 0
                 ? base::cat("exited with status 5; it printed last: no room for ", i, " files")
                 : base::cat("exited with status 3; it printed last: ", 240 + i, ".5 degrees"));
  }
  const Gathered study = gathered(made);
  ASSERT_EQ(study.failures.size(), 2);
  EXPECT_EQ(study.failures[0].message, "exited with status 3; it printed last: 241.5 degrees");
  EXPECT_EQ(study.failures[0].trials, 20);
  EXPECT_EQ(study.failures[1].message,
            "exited with status 5; it printed last: no room for 0 files");
}

TEST_F(Sections, CallMessagesBeyondTheFirstFewOthers) {
  made::Made made(folder_.path());
  for (std::uint64_t i = 0; i < 12; ++i) {
    made.create(i, {{"x", static_cast<double>(i)}});
    made.end(i, TrialState::failed, Cause::error,
             base::cat("cannot read ", std::string(i + 1, 'x')));
  }
  const Gathered study = gathered(made);
  ASSERT_EQ(study.failures.size(), 9);
  EXPECT_EQ(study.failures[0].message, "other messages");
  EXPECT_EQ(study.failures[0].numbers, "8, 9, 10, 11");
}

TEST_F(Sections, SayWhereARangeMadeTrialsFail) {
  made::Made made(folder_.path());
  add_diverging(made, "lr", 0.02, [](double share) {
    return Params{{"lr", 1e-4 * std::pow(1000, share)},
                  {"width", std::int64_t{32}},
                  {"optimizer", std::string("adam")}};
  });
  const auto next = next_section(gathered(made));
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->heading.starts_with("Next time narrow lr")) << next->heading;
  EXPECT_NE(next->body.find("In 9 of 9 failed trials, lr is above 0.01"), std::string::npos)
      << next->body;
  EXPECT_NE(next->body.find("  lr: {min: 0.0001, max: 0.01"), std::string::npos) << next->body;
}

TEST_F(Sections, KeepFloatsFloats) {
  made::Made made(folder_.path());
  add_diverging(made, "momentum", 0.7, [](double share) {
    return Params{{"lr", 0.01},
                  {"width", std::int64_t{32}},
                  {"optimizer", std::string("sgd")},
                  {"momentum", 0.99 * share}};
  });
  const auto next = next_section(gathered(made));
  ASSERT_TRUE(next);
  EXPECT_NE(next->body.find("  momentum: {min: 0.0, max: 0."), std::string::npos) << next->body;
}

TEST_F(Sections, SayWhereTheBestPressAgainstABound) {
  made::Made made(folder_.path());
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto width = static_cast<std::int64_t>(16 + 6 * i);
    Params params{{"lr", 1e-4 * std::pow(1000, made::spread(i, 0.618034))},
                  {"width", width},
                  {"optimizer", std::string("adam")}};
    made.create(i, params);
    made.report(i, 27, static_cast<double>(width) / 300);
    made.end(i, TrialState::complete);
  }
  made.add({}, Finished{Finish::trials, "40 trials"});
  const Gathered study = gathered(made);
  const auto next = next_section(study);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->heading.starts_with("Next time widen width")) << next->heading;
  EXPECT_NE(
      next->body.find("4 of 4 of the best tenth lie at the upper end of width (256): widen it."),
      std::string::npos)
      << next->body;
  EXPECT_NE(next->body.find("  width: {type: int, min: 16, max: 512, scale: log}"),
            std::string::npos);
  EXPECT_EQ(next->body.find("momentum"), std::string::npos)
      << "no advice about what the winner does not have";
}

}  // namespace
}  // namespace hpo::report
