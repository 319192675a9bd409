#include "hpo/log/study_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using sample::created;
using sample::ended;
using sample::reported;

void add_trial(EventLog& log, std::uint64_t trial, double value, TrialState state) {
  log.append(created(trial, 0.1));
  log.append(reported(trial, 1, value));
  log.append(
      ended(trial, state, state == TrialState::failed ? Cause::error : Cause::none, "it broke"));
}

TEST(StudyReader, ShowsEveryFieldOfATrial) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  add_trial(*log, 0, 0.5, TrialState::complete);
  add_trial(*log, 1, std::nan(""), TrialState::failed);
  log->append({.trial = 0, .body = Exported{"best.safetensors", {{"test.accuracy", 0.75}}}});
  log->commit();

  StudyReader study(folder.path());
  auto trials = study.trials();
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].params, (Params{{"lr", 0.1}, {"optimizer", std::string("adam")}}));
  EXPECT_EQ(trials[0].value, 0.5);
  EXPECT_EQ(trials[0].metrics,
            (Metrics{{"valid.accuracy", 0.5}, {"train.loss", 0.5}, {"test.accuracy", 0.75}}));
  EXPECT_EQ(trials[0].train_flops, 10);
  EXPECT_EQ(trials[0].inference_flops, 100);
  EXPECT_DOUBLE_EQ(trials[0].seconds, 0.25);
  EXPECT_EQ(trials[1].state, TrialState::failed);
  EXPECT_EQ(trials[1].cause, Cause::error);
  EXPECT_EQ(trials[1].message, "it broke");
  EXPECT_TRUE(std::isnan(trials[1].value.value()));
  EXPECT_EQ(study.trial(1)->trial, 1u);
  EXPECT_FALSE(study.trial(2));
  EXPECT_EQ(study.parameter_names(), (std::vector<std::string>{"lr", "optimizer"}));
  EXPECT_EQ(study.resolved(), "name: digits\n");
  EXPECT_EQ(study.model()->file, folder.path() / "best.safetensors");
  EXPECT_EQ(study.model()->trial, 0u);
  EXPECT_EQ(study.events().size(), 7u);
  EXPECT_EQ(study.events(1).size(), 3u);
  EXPECT_EQ(study.events(1)[1].kind, "reported");
}

TEST(StudyReader, FindsTheBest) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  StudyReader early(folder.path());
  EXPECT_FALSE(early.best());
  add_trial(*log, 0, 0.9, TrialState::stopped);
  log->commit();
  EXPECT_EQ(early.best()->trial, 0u);
  add_trial(*log, 1, 0.7, TrialState::complete);
  add_trial(*log, 2, 0.8, TrialState::complete);
  add_trial(*log, 3, 0.8, TrialState::complete);
  add_trial(*log, 4, std::nan(""), TrialState::complete);
  add_trial(*log, 5, 0.99, TrialState::failed);
  log->commit();
  EXPECT_EQ(early.best()->trial, 2u) << "as if the study ended now";
  log->append({.body = Finished{Finish::trials, "6 trials"}});
  log->commit();
  EXPECT_EQ(early.best()->trial, 2u) << "an open reader sees what was committed since";
}

TEST(StudyReader, TheBestOfWhatTimeCutOffNeedNotBeComplete) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(created(0, 0.1));
  log->append(reported(0, 1, 0.7));
  log->commit();
  EXPECT_EQ(StudyReader(folder.path()).best()->trial, 0u) << "nothing ended";
  add_trial(*log, 1, 0.5, TrialState::complete);
  log->commit();
  EXPECT_EQ(StudyReader(folder.path()).best()->trial, 1u) << "the one that is complete";
  log->note(kByTimeFact, "yes");
  log->commit();
  EXPECT_EQ(StudyReader(folder.path()).best()->trial, 0u) << "nothing but time will end it";
  log->note(kByTimeFact, "");
  log->append({.body = Finished{Finish::time, "limits.time is over"}});
  log->commit();
  log.reset();
  const TrialRow best = StudyReader(folder.path()).best().value();
  EXPECT_EQ(best.trial, 0u);
  EXPECT_EQ(best.state, TrialState::waiting);
}

TEST(StudyReader, TellsALiveDriverFromADeadOne) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(created(0, 0.1));
  log->commit();
  StudyReader study(folder.path());
  EXPECT_EQ(study.info().state, StudyState::running);
  EXPECT_EQ(study.counts(), (TrialCounts{.running = 1}));
  EXPECT_EQ(study.driver()->pid, ::getpid());
  log.reset();
  EXPECT_EQ(study.info().state, StudyState::interrupted);
  EXPECT_EQ(study.counts(), (TrialCounts{.waiting = 1}));
  EXPECT_EQ(study.trial(0)->state, TrialState::waiting);
  EXPECT_FALSE(study.driver());
}

TEST(StudyReader, LookingDoesNotDisturbADriverThatStarts) {
  support::TempFolder folder;
  (void)sample::open(folder.path());
  StudyReader study(folder.path());
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(study.info().state, StudyState::interrupted);
    EXPECT_NO_THROW((void)sample::open(folder.path()));
  }
}

TEST(StudyReader, SaysWhyAStudyEnded) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append({.body = Finished{Finish::failed, "5 trials failed"}});
  log->commit();
  log.reset();
  StudyReader study(folder.path());
  EXPECT_EQ(study.info().state, StudyState::failed);
  EXPECT_EQ(study.info().reason, "5 trials failed");
}

TEST(StudyReader, HasTheVerdictOnTheNetworkThatWasWritten) {
  const Verdict verdict{.text = "better than always answering 'no' by 0.1",
                        .beats = true,
                        .baseline = "majority class",
                        .difference = 0.1,
                        .low = 0.05,
                        .high = 0.15,
                        .rows = 200,
                        .within_noise = 3};
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  add_trial(*log, 0, 0.5, TrialState::complete);
  add_trial(*log, 1, 0.4, TrialState::complete);
  log->note(kVerdictFact, json_of(verdict));
  (void)log->commit();
  EXPECT_FALSE(StudyReader(folder.path()).verdict(0)) << "no network was written";
  log->append({.trial = 0, .body = Exported{"best.safetensors", {}, {}}});
  (void)log->commit();
  const StudyReader study(folder.path());
  EXPECT_EQ(study.verdict(0), verdict);
  EXPECT_FALSE(study.verdict(1));
}

TEST(Verdict, IsNullWhereNothingIsKnown) {
  const Verdict none{.text = "not judged: no unseen rows"};
  EXPECT_EQ(json_of(none),
            R"({"text": "not judged: no unseen rows", "beats": null, "baseline": null, )"
            R"("difference": null, "low": null, "high": null, "rows": 0, "within_noise": 0})");
  EXPECT_EQ(verdict_from_json(json_of(none)), none);
  EXPECT_EQ(verdict_json({}), "null");
}

TEST(StudyReader, ANonexistentStudyIsAnErrorWithARemedy) {
  support::TempFolder folder;
  try {
    StudyReader study(folder.path());
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
    EXPECT_NE(std::string(error.what()).find("trellis sweep"), std::string::npos);
  }
}

TEST(StudyReader, BestAmongTenThousandIsQuick) {
  support::TempFolder folder;
  auto log = sample::open(folder.path());
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    add_trial(*log, i, static_cast<double>((i * 7919) % 10'000),
              i % 3 ? TrialState::complete : TrialState::stopped);
  }
  log->commit();
  log.reset();
  base::Moment start = base::now();
  StudyReader study(folder.path());
  auto best = study.best();
  double seconds = base::seconds_since(start);
  RecordProperty("microseconds", static_cast<int>(seconds * 1e6));
  EXPECT_EQ(best->value, 9999);
  EXPECT_LT(seconds, 0.05);
}

TEST(FindRun, TakesANameOrAFolderAndKnowsTheNearest) {
  support::TempFolder folder;
  (void)sample::open(folder / "digits");
  EXPECT_EQ(find_run("digits", folder.path()), folder / "digits");
  EXPECT_EQ(find_run((folder / "digits").string(), "/nowhere"), folder / "digits");
  try {
    (void)find_run("digit", folder.path());
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::usage);
    EXPECT_NE(std::string(error.what()).find("digits"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hpo
