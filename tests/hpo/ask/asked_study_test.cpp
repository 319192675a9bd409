#include "hpo/ask/asked_study.h"

#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "base/error.h"
#include "tests/hpo/ask/asking.h"

namespace hpo {
namespace {

using AskedStudyTest = Asking;

Told value(double number) { return {.step = {}, .metrics = {{"accuracy", number}}, .message = {}}; }

Told at_step(std::int64_t step, double number) {
  Told told = value(number);
  told.step = step;
  return told;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::usage);
    return error.what();
  }
  return "";
}

TEST_F(AskedStudyTest, HandsOutPointsOfTheSpace) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Handout handout = asked().ask("");
    ASSERT_EQ(handout.trial, i);
    EXPECT_EQ(asked().study().space.reason_outside(handout.params), "");
    const Standing standing = asked().tell(i, value(0.5));
    EXPECT_EQ(standing.state, TrialState::complete);
    EXPECT_EQ(standing.value, 0.5);
  }
  EXPECT_EQ(asked().open(), 0U);
}

TEST_F(AskedStudyTest, SaysTheSameTwiceForOne) {
  const Handout first = asked().ask("a");
  const Handout again = asked().ask("a");
  EXPECT_EQ(again.trial, first.trial);
  EXPECT_EQ(again.params, first.params);
  EXPECT_NE(asked().ask("b").trial, first.trial);

  EXPECT_EQ(asked().report(0, at_step(3, 0.4)), Decision::go);
  EXPECT_EQ(asked().report(0, at_step(3, 0.4)), Decision::go);
  EXPECT_EQ(row(0).step, 3);
  EXPECT_NE(refusal([&] { (void)asked().report(0, at_step(3, 0.7)); }), "");
  EXPECT_NE(refusal([&] { (void)asked().report(0, at_step(2, 0.4)); }), "");

  (void)asked().tell(0, value(0.6));
  EXPECT_EQ(asked().tell(0, value(0.6)).value, 0.6);
  EXPECT_EQ(refusal([&] { (void)asked().tell(0, value(0.3)); }),
            "trial 0 was told already: complete, accuracy = 0.6");
  EXPECT_NE(asked().ask("a").trial, first.trial) << "the ticket of a trial that ended is free";
}

TEST_F(AskedStudyTest, SaysTheSameTwiceForOneWhereTheBestCounts) {
  begin_other("early_stop: none\n", "{name: accuracy, goal: maximize, take: best}");
  (void)asked().ask("");
  EXPECT_EQ(asked().report(0, at_step(1, 0.9)), Decision::go);
  EXPECT_EQ(asked().report(0, at_step(2, 0.8)), Decision::go);
  EXPECT_EQ(asked().report(0, at_step(2, 0.8)), Decision::go);
  EXPECT_EQ(asked().tell(0, value(0.8)).value, 0.9);
  EXPECT_EQ(asked().tell(0, value(0.8)).value, 0.9);
  EXPECT_NE(refusal([&] { (void)asked().tell(0, value(0.9)); }), "");
}

TEST_F(AskedStudyTest, WantsEveryMetricThatHasBounds) {
  begin_other("early_stop: none\nsubject_to: {size: 10}\n");
  (void)asked().ask("");
  EXPECT_EQ(refusal([&] { (void)asked().tell(0, value(0.8)); }),
            "trial 0 has no value of size yet, which subject_to bounds; report or tell it");
  Told told = value(0.8);
  told.metrics = {{"accuracy", 0.8}, {"size", 20}};
  (void)asked().tell(0, told);
  EXPECT_EQ(asked().tell(0, told).state, TrialState::complete);
  told.metrics = {{"accuracy", 0.8}, {"size", 5}};
  EXPECT_NE(refusal([&] { (void)asked().tell(0, told); }), "");
}

TEST_F(AskedStudyTest, MetricsThatAreNotNamedAgainKeepTheirValues) {
  begin_other("early_stop: none\n");
  const auto report = [&](std::uint64_t trial) {
    Told told = at_step(1, 0.3);
    told.metrics.emplace_back("loss", 0.7);
    (void)asked().ask("");
    (void)asked().report(trial, told);
  };
  const Metrics all{{"accuracy", 0.9}, {"loss", 0.7}};
  report(0);
  (void)asked().tell(0, value(0.9));
  EXPECT_EQ(row(0).metrics, all);
  report(1);
  asked().commit();
  begin();
  (void)asked().tell(1, value(0.9));
  EXPECT_EQ(row(1).metrics, all) << "another keeper has them from the log";
  report(2);
  Told same = value(0.3);
  same.metrics.emplace_back("size", 5);
  (void)asked().tell(2, same);
  EXPECT_EQ(row(2).metrics, (Metrics{{"accuracy", 0.3}, {"size", 5}, {"loss", 0.7}}));
  EXPECT_EQ(asked().tell(2, same).state, TrialState::complete);
}

const ParamValue* width_of(const Handout& handout) { return handout.params.find("width"); }
ParamValue width(int value) { return std::int64_t{value}; }

TEST_F(AskedStudyTest, AReportOnTheWaySaysWhatItWasTold) {
  begin_other("early_stop: none\n");
  (void)asked().ask("");
  Told first = at_step(1, 0.3);
  first.metrics.emplace_back("loss", 0.7);
  (void)asked().report(0, first);
  (void)asked().report(0, at_step(2, 0.4));
  EXPECT_EQ(row(0).metrics, (Metrics{{"accuracy", 0.4}}));
  (void)asked().tell(0, value(0.5));
  EXPECT_EQ(row(0).metrics, (Metrics{{"accuracy", 0.5}, {"loss", 0.7}}));
}

TEST_F(AskedStudyTest, TakesNoMorePointsThanTrialsAreLeft) {
  begin_other("limits: {trials: 2}\n");
  (void)asked().ask("");
  (void)asked().enqueue({{"width", width(5)}}, "a");
  (void)asked().enqueue({{"width", width(5)}}, "a");
  EXPECT_EQ(refusal([&] {
              (void)asked().enqueue({{"width", width(6)}}, "b");
            }),
            "all 2 trials are taken; use a larger limits.trials");
}

TEST_F(AskedStudyTest, GivesAPointThatWasBroughtAlong) {
  begin_other("try_first: [{width: 10}, {width: 11}]\n");
  const Handout own = asked().ask("a", {{"width", width(20)}});
  EXPECT_EQ(*width_of(own), width(20));
  EXPECT_EQ(asked().study().space.reason_outside(own.params), "") << "the rest is the sampler's";
  EXPECT_EQ(asked().ask("a", {{"width", width(30)}}).params, own.params) << "the same asking";
  EXPECT_EQ(asked().enqueue({{"width", width(12)}}, "e"), std::nullopt);
  EXPECT_EQ(asked().enqueue({{"width", width(12)}}, "e"), std::nullopt);
  EXPECT_EQ(asked().waiting(), 3U) << "one ticket counts once";
  asked().commit();
  begin();
  EXPECT_EQ(asked().waiting(), 3U) << "another keeper has them from the log";
  EXPECT_EQ(*width_of(asked().ask("")), width(10)) << "the file's points wait for others";
  EXPECT_EQ(*width_of(asked().ask("", {{"width", width(21)}})), width(21));
  asked().commit();
  begin();
  EXPECT_EQ(*width_of(asked().ask("")), width(11));
  EXPECT_EQ(asked().enqueue({{"width", width(12)}}, "e"), std::nullopt) << "it was heard before";
  EXPECT_EQ(*width_of(asked().ask("")), width(12));
  EXPECT_EQ(asked().waiting(), 0U);
}

TEST_F(AskedStudyTest, ProposesTheSameAfterADeathBesidePointsThatWereBrought) {
  begin_other("method: tpe\n");
  for (std::uint64_t i = 0; i < 20; ++i) {
    (void)asked().ask("",
                      i % 3 == 0 ? Params{{"width", width(static_cast<int>(10 + i))}} : Params{});
    (void)asked().tell(i, value(std::sin(static_cast<double>(i))));
  }
  (void)asked().enqueue({{"lr", 0.05}}, "");
  asked().commit();
  const Params first = asked().ask("").params, next = asked().ask("").params;
  begin();
  EXPECT_EQ(asked().ask("").params, first);
  EXPECT_EQ(*first.find("lr"), ParamValue(0.05));
  EXPECT_EQ(asked().ask("").params, next);
}

TEST_F(AskedStudyTest, RefusesPointsThatAreNoneOfTheSpace) {
  begin_other("forbid: [{width: 5}]\n");
  const auto said = [&](const Params& point) {
    return refusal([&] { (void)asked().ask("", point); });
  };
  EXPECT_EQ(said({{"widht", width(5)}}),
            "params names \"widht\", expected the name of a parameter; did you mean 'width'?");
  EXPECT_EQ(said({{"width", width(65)}}), "params.width is 65, expected an int from 4 to 64");
  EXPECT_EQ(refusal([&] {
              (void)asked().enqueue({{"width", std::string("wide")}}, "");
            }),
            "params.width is wide, expected an int from 4 to 64");
  EXPECT_NE(said({{"width", width(5)}}).find("a point that forbid excludes, because width is 5"),
            std::string::npos);
  EXPECT_EQ(asked().open(), 0U);
  EXPECT_EQ(asked().waiting(), 0U);
}

TEST_F(AskedStudyTest, BringsNothingToAStudyThatIsOver) {
  begin_other("limits: {trials: 1}\n");
  (void)asked().ask("", {{"lr", 0.05}});
  EXPECT_EQ(asked().enqueue({{"lr", 0.05}}, ""), "1 trial");
  EXPECT_FALSE(asked().ask("", {{"lr", 0.05}}).trial);
}

TEST_F(AskedStudyTest, LosesNothingThatWasCommitted) {
  const Handout first = asked().ask("a");
  (void)asked().ask("b");
  (void)asked().report(1, at_step(2, 0.3));
  (void)asked().tell(1, value(0.9));
  asked().commit();
  (void)asked().ask("never committed");
  begin();
  EXPECT_EQ(asked().open(), 1U);
  const Handout again = asked().ask("a");
  EXPECT_EQ(again.trial, first.trial);
  EXPECT_EQ(again.params, first.params);
  EXPECT_EQ(asked().tell(1, value(0.9)).state, TrialState::complete);
  EXPECT_EQ(asked().ask("c").trial, 2U);
}

TEST_F(AskedStudyTest, ProposesTheSameAfterADeath) {
  begin_other("method: tpe\n");
  std::vector<Params> undisturbed;
  for (std::uint64_t i = 0; i < 30; ++i) {
    undisturbed.push_back(asked().ask("").params);
    (void)asked().tell(i, value(std::sin(static_cast<double>(i))));
  }
  asked().commit();
  const Params next = asked().ask("").params;
  begin();
  EXPECT_EQ(asked().ask("").params, next);
}

TEST_F(AskedStudyTest, ARuleStopsAndATellAfterwardsChangesNothing) {
  begin_other("early_stop: {threshold: {worst: 0.2}}\n");
  (void)asked().ask("");
  EXPECT_EQ(asked().report(0, at_step(1, 0.3)), Decision::go);
  EXPECT_EQ(asked().report(0, at_step(2, 0.1)), Decision::stop);
  EXPECT_EQ(row(0).state, TrialState::stopped);
  EXPECT_EQ(asked().report(0, at_step(3, 0.9)), Decision::stop);
  EXPECT_EQ(asked().tell(0, value(0.9)).state, TrialState::stopped);
  EXPECT_EQ(row(0).value, 0.1);
}

TEST_F(AskedStudyTest, ATrialThatIsToldAtOnceIsComplete) {
  begin_other("early_stop: {asha: {min: 1, max: 9}}\n");
  for (std::uint64_t i = 0; i < 9; ++i) {
    (void)asked().ask("");
    EXPECT_EQ(asked().tell(i, value(1.0 - static_cast<double>(i))).state, TrialState::complete);
  }
}

TEST_F(AskedStudyTest, AnEndWithoutAStepIsNoReportThatOthersAreComparedWith) {
  begin_other("early_stop: {asha: {min: 1, max: 9}}\n");
  for (std::uint64_t i = 0; i < 6; ++i) {
    (void)asked().ask("");
    (void)asked().tell(i, value(0.9));
  }
  (void)asked().ask("");
  EXPECT_EQ(asked().report(6, at_step(1, 0.5)), Decision::go) << "the first one at step 1";
  asked().commit();
  begin();
  (void)asked().ask("");
  EXPECT_EQ(asked().report(7, at_step(1, 0.6)), Decision::go) << "nor to another keeper";
  (void)asked().ask("");
  EXPECT_EQ(asked().report(8, at_step(1, 0.4)), Decision::stop);
}

TEST_F(AskedStudyTest, TheLastReportBeforeARestartIsComparedWith) {
  begin_other("early_stop: {asha: {min: 1, max: 9}}\n");
  (void)asked().ask("");
  EXPECT_EQ(asked().report(0, at_step(1, 0.5)), Decision::go);
  asked().commit();
  begin();
  (void)asked().ask("");
  EXPECT_EQ(asked().report(1, at_step(1, 0.4)), Decision::stop);
}

TEST_F(AskedStudyTest, AnEndAtAStepIsAReportToo) {
  begin_other("early_stop: {asha: {min: 1, max: 9}}\n");
  (void)asked().ask("");
  (void)asked().tell(0, at_step(1, 0.9));
  asked().commit();
  begin();
  (void)asked().ask("");
  EXPECT_EQ(asked().report(1, at_step(1, 0.5)), Decision::stop);
}

TEST_F(AskedStudyTest, StepsMayBeginAtZero) {
  (void)asked().ask("");
  EXPECT_EQ(asked().report(0, at_step(0, 0.3)), Decision::go);
  EXPECT_EQ(asked().report(0, at_step(0, 0.3)), Decision::go) << "said twice";
  EXPECT_NE(refusal([&] { (void)asked().report(0, at_step(0, 0.4)); }), "");
  EXPECT_EQ(refusal([&] { (void)asked().report(0, at_step(-1, 0.4)); }),
            "step is -1, expected at least 0");
  asked().commit();
  begin();
  EXPECT_EQ(asked().report(0, at_step(0, 0.3)), Decision::go) << "said twice, to two keepers";
  EXPECT_EQ(asked().report(0, at_step(1, 0.4)), Decision::go);
  EXPECT_EQ(asked().tell(0, value(0.4)).value, 0.4);
  (void)asked().ask("");
  (void)asked().report(1, at_step(0, 0.6));
  EXPECT_EQ(asked().tell(1, value(0.7)).value, 0.7);
  EXPECT_EQ(row(1).step, 0);
  (void)asked().ask("");
  EXPECT_EQ(asked().tell(2, at_step(0, 0.8)).value, 0.8);
  EXPECT_EQ(refusal([&] {
              (void)asked().ask("");
              (void)asked().tell(3, at_step(-1, 0.8));
            }),
            "step is -1, expected at least 0");
}

TEST_F(AskedStudyTest, EveryRuleTakesStepsFromZero) {
  for (const char* rule :
       {"asha", "hyperband", "median", "percentile", "patience", "{threshold: {worst: 0}}"}) {
    begin_other(base::cat("early_stop: ", rule, "\n"));
    for (std::uint64_t trial = 0; trial < 12; ++trial) {
      (void)asked().ask("");
      const double number = 2 - static_cast<double>(trial) / 10;
      for (int step = 0; step < 4; ++step) {
        const Decision decision = asked().report(trial, at_step(step, number));
        EXPECT_TRUE(step > 0 || decision == Decision::go) << rule;
      }
      (void)asked().tell(trial, value(number));
    }
    asked().commit();
    EXPECT_NO_THROW(begin()) << rule;
  }
}

TEST_F(AskedStudyTest, WhatIsNoNumberFails) {
  (void)asked().ask("");
  EXPECT_EQ(asked().report(0, at_step(1, std::nan(""))), Decision::stop);
  EXPECT_EQ(row(0).cause, Cause::diverged);
  EXPECT_EQ(asked().tell(0, value(0.5)).state, TrialState::failed) << "what it had before that";
  (void)asked().ask("");
  EXPECT_EQ(asked().tell(1, value(std::nan(""))).state, TrialState::failed);
  EXPECT_EQ(asked().tell(1, value(std::nan(""))).state, TrialState::failed) << "said twice";
  (void)asked().ask("");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(asked().tell(2, value(kInfinity)).state, TrialState::failed) << "better than any";
  (void)asked().ask("");
  EXPECT_EQ(asked().tell(3, value(-kInfinity)).state, TrialState::complete);
}

TEST_F(AskedStudyTest, NoneOfSeveralMetricsIsInfinitelyGood) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  begin_other("method: tpe\n", "[" + std::string(kMetric) + ", {name: loss, goal: minimize}]");
  const auto told = [](double loss) {
    return Told{.step = {}, .metrics = {{"accuracy", 0.5}, {"loss", loss}}, .message = {}};
  };
  for (const double loss : {-kInfinity, std::nan("")}) {
    const std::uint64_t trial = asked().ask("").trial.value();
    EXPECT_EQ(asked().tell(trial, told(loss)).state, TrialState::failed) << loss;
    EXPECT_EQ(row(trial).cause, Cause::diverged) << loss;
  }
  (void)asked().ask("");
  Told report = told(-kInfinity);
  report.step = 1;
  EXPECT_EQ(asked().report(2, report), Decision::stop);
  EXPECT_EQ(row(2).message, "loss is infinite at step 1");
  (void)asked().ask("");
  EXPECT_EQ(asked().tell(3, told(kInfinity)).state, TrialState::complete)
      << "the worst is no fault";
}

TEST_F(AskedStudyTest, ATrialFails) {
  (void)asked().ask("");
  Told failed{.state = TrialState::failed, .message = "no GPU"};
  EXPECT_EQ(asked().tell(0, failed).state, TrialState::failed);
  EXPECT_EQ(row(0).message, "no GPU");
  EXPECT_EQ(asked().tell(0, failed).state, TrialState::failed) << "said twice";
  EXPECT_EQ(refusal([&] { (void)asked().tell(0, value(1)); }), "trial 0 was told already: failed");
}

TEST_F(AskedStudyTest, TakesMetricsByName) {
  (void)asked().ask("");
  Told told{.metrics = {{"loss", 0.3}, {"accuracy", 0.8}}};
  EXPECT_EQ(asked().tell(0, told).value, 0.8);
  EXPECT_EQ(row(0).metrics, told.metrics);
  (void)asked().ask("");
  EXPECT_EQ(refusal([&] {
              (void)asked().tell(1, {.metrics = {{"acuracy", 0.8}}});
            }),
            "the metric accuracy is missing, but there is acuracy");
  EXPECT_EQ(refusal([&] { (void)asked().tell(1, {}); }),
            "trial 1 has no value of accuracy yet; tell a value, or that it failed");
  EXPECT_EQ(refusal([&] { (void)asked().tell(7, value(1)); }),
            "trial 7 was never asked for; 2 trials were");
}

TEST_F(AskedStudyTest, EndsAtItsLimitAndGoesOnWithALargerOne) {
  begin("limits: {trials: 2}\n");
  (void)asked().ask("a");
  (void)asked().ask("b");
  EXPECT_EQ(asked().ask("c").over, "2 trials");
  EXPECT_EQ(asked().ask("a").trial, 0U) << "what is out can be asked again";
  (void)asked().tell(0, value(1));
  (void)asked().tell(1, value(2));
  asked().commit();
  begin();
  EXPECT_EQ(asked().ask("c").over, "2 trials");
  begin("limits: {trials: 3}\n");
  EXPECT_EQ(asked().ask("c").trial, 2U);
}

TEST_F(AskedStudyTest, EndsWhenTooMuchFails) {
  begin_other("limits: {failed: 1}\n");
  (void)asked().ask("a");
  (void)asked().ask("b");
  (void)asked().tell(0, {.state = TrialState::failed, .message = "no GPU"});
  EXPECT_EQ(asked().ask("c").over, "1 trial failed");
  EXPECT_EQ(asked().tell(1, value(1)).state, TrialState::complete) << "what is out may be told";
}

TEST_F(AskedStudyTest, EndsAtItsTarget) {
  begin_other("limits: {target: 0.5}\n");
  (void)asked().ask("a");
  (void)asked().ask("b");
  (void)asked().tell(0, value(0.3));
  (void)asked().ask("c");
  (void)asked().tell(1, value(0.6));
  EXPECT_EQ(asked().ask("d").over, "trial 1 has 0.6, limits.target is 0.5");
  EXPECT_EQ(asked().tell(2, value(1)).state, TrialState::complete) << "what is out may be told";
}

TEST_F(AskedStudyTest, WhatWasOverForOneIsOverForAll) {
  begin_other("limits: {patience: 2}\n");
  for (const char* ticket : {"a", "b", "c", "d"}) (void)asked().ask(ticket);
  (void)asked().tell(0, value(0.5));
  (void)asked().tell(1, value(0.4));
  EXPECT_EQ(asked().ask("e").over, "");
  (void)asked().tell(2, value(0.3));
  const std::string over = "2 trials in a row were no better than trial 0";
  EXPECT_EQ(asked().ask("f").over, over);
  (void)asked().tell(3, value(0.9));
  EXPECT_EQ(asked().ask("g").over, over) << "a record that comes too late";
  (void)asked().tell(4, value(0.1));
  asked().commit();
  begin();
  EXPECT_EQ(asked().ask("h").over, over);
}

TEST_F(AskedStudyTest, ATrialThatIsOutForTooLongFails) {
  begin_other("limits: {trial_time: 1ms}\n");
  (void)asked().ask("");
  EXPECT_TRUE(asked().next_late());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  asked().end_late_trials();
  EXPECT_EQ(row(0).cause, Cause::timeout);
  EXPECT_EQ(asked().report(0, at_step(1, 1)), Decision::stop);
  EXPECT_EQ(asked().tell(0, value(1)).state, TrialState::failed);
}

TEST_F(AskedStudyTest, ATrialThatIsOutForTooLongFailsUnderTheNextKeeper) {
  begin_other("limits: {trial_time: 1h}\n");
  (void)asked().ask("");
  asked().commit();
  (void)asked().ask("");
  asked().commit();
  make_older(0, std::chrono::hours(2));
  begin();
  EXPECT_EQ(row(0).cause, Cause::timeout);
  EXPECT_EQ(row(1).state, TrialState::running) << "a restart alone ends nothing";
  const double left = asked().next_late().value();
  EXPECT_GT(left, 3500);
  EXPECT_LE(left, 3600);
}

}  // namespace
}  // namespace hpo
