#include "hpo/driver/driver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <new>

#include "runtime/task.h"
#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

using sim::events_of;
using sim::session;
using sim::Work;

TEST(Driver, RunsAStudyToItsLimit) {
  support::TempFolder folder;
  Work work(1);
  auto result = session(folder.path(), sim::study(), work);
  EXPECT_EQ(result.end, DriverEnd::finished);
  EXPECT_EQ(result.finished->why, Finish::trials);
  StudyReader study(folder.path());
  TrialCounts counts = study.counts();
  EXPECT_EQ(counts.all(), 20);
  EXPECT_EQ(counts.complete + counts.stopped, 20);
  EXPECT_GT(counts.complete, 0);
  EXPECT_GT(counts.stopped, counts.complete);
  EXPECT_EQ(study.info().state, StudyState::finished);
  EXPECT_EQ(study.model()->trial, study.best()->trial);
  EXPECT_EQ(study.best()->metrics.back().first, "test.loss");
  EXPECT_EQ(study.best()->step, 9);
  EXPECT_EQ(work.finished, 1);
  EXPECT_EQ(study.work().epochs, work.measured);
}

TEST(Driver, EachSessionKeepsWhatItsWorkersDidOverTime) {
  support::TempFolder folder;
  for (int session = 0; session < 2; ++session) {
    Work work(1);
    sim::session(folder.path(), sim::study(), work);
  }
  const StudyReader study(folder.path());
  const std::vector<SessionUse> sessions = study.device_use();
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].epoch, 1);
  EXPECT_GE(sessions[1].began, sessions[0].began);
  const SessionUse& last = sessions[1];
  const std::vector<WorkerInfo> workers = study.workers();
  ASSERT_EQ(last.workers.size(), workers.size());
  ASSERT_GT(workers.size(), 0U);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    EXPECT_EQ(last.workers[i].name, workers[i].name);
    const std::size_t buckets = last.workers[i].shares.size() / last.states.size();
    ASSERT_EQ(buckets, static_cast<std::size_t>(std::ceil(last.seconds / last.width)));
    double busy = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      double all = 0;
      for (std::size_t state = 0; state < last.states.size(); ++state)
        all += last.share(i, bucket, state);
      EXPECT_NEAR(all, 1, 0.02) << bucket;
      busy += last.share(i, bucket, 0) * last.width;
    }
    EXPECT_NEAR(busy, workers[i].busy, 0.02 * last.seconds + last.width);
  }
}

TEST(Driver, EveryOrderOfCompletionGivesTheSameStudy) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    StudySpec spec = sim::study(seed);
    spec.parallel = 1 + static_cast<std::int64_t>(seed) % 6;
    std::vector<std::string> expected;
    for (std::uint64_t chance = 0; chance < 6; ++chance) {
      support::TempFolder folder;
      Work work(chance);
      if (chance == 0) work.most_ticks = 0;
      session(folder.path(), spec, work);
      if (chance == 0) expected = events_of(folder.path());
      ASSERT_EQ(events_of(folder.path()), expected) << "study " << seed << ", chance " << chance;
    }
  }
}

TEST(Driver, ASecondCallOnAFinishedStudyDoesNothing) {
  support::TempFolder folder;
  Work work(1);
  session(folder.path(), sim::study(), work);
  base::write_file_atomic(folder / "best.txt", "network");
  auto before = events_of(folder.path());
  Work again(2);
  auto result = session(folder.path(), sim::study(), again);
  EXPECT_EQ(result.end, DriverEnd::finished);
  EXPECT_EQ(again.begun + again.finished, 0);
  EXPECT_EQ(events_of(folder.path()), before);
}

TEST(Driver, ANetworkThatIsGoneIsWrittenAgain) {
  support::TempFolder folder;
  Work work(1), again(1);
  session(folder.path(), sim::study(), work);
  session(folder.path(), sim::study(), again);
  EXPECT_EQ(again.finished, 1);
}

TEST(Driver, AGridEndsWithItsLastPoint) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.space = Space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1, .step = 0.25}},
                      {.name = "size", .domain = IntRange{.min = 1, .max = 3}}});
  spec.method = {"grid", {}};
  spec.early_stop = {"none", {}};
  spec.limits.trials.reset();
  Work work(1);
  auto result = session(folder.path(), spec, work);
  EXPECT_EQ(result.finished->why, Finish::exhausted);
  StudyReader study(folder.path());
  EXPECT_EQ(study.counts(), (TrialCounts{.complete = 15}));
  auto trials = study.trials();
  for (std::uint64_t i = 0; i < 15; ++i) EXPECT_EQ(trials[i].params, spec.space.grid_point(i));
}

TEST(Driver, ARaisedLimitGoesOnWithTheSearch) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  Work work(1);
  session(folder.path(), spec, work);
  auto before = events_of(folder.path());
  spec.limits.trials = 30;
  Work more(2);
  Observer silent;
  session(folder.path(), spec, more, silent, {{"limits.trials", "20", "30"}});
  auto after = events_of(folder.path());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()))
      << "the past stays as it was";
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 30);
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::finished);
  EXPECT_EQ(more.begun, 10);
}

TEST(Driver, FailuresAreTrialsOfTheirOwnKind) {
  support::TempFolder folder;
  Work work(1);
  work.at = [](const TrialContext& trial, std::int64_t epoch) {
    if (epoch != 2 || trial.trial() == 0) return;
    if (trial.trial() % 4 == 1) throw TrialFailure(Cause::diverged, "loss is nan");
    if (trial.trial() % 4 == 2) throw std::runtime_error("it broke");
    if (trial.trial() % 4 == 3) throw std::bad_alloc();
  };
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  session(folder.path(), spec, work);
  auto trials = StudyReader(folder.path()).trials();
  EXPECT_EQ(trials[0].state, TrialState::complete);
  EXPECT_EQ(trials[1].cause, Cause::diverged);
  EXPECT_EQ(trials[1].message, "loss is nan");
  EXPECT_EQ(trials[2].cause, Cause::error);
  EXPECT_EQ(trials[2].message, "it broke");
  EXPECT_EQ(trials[3].cause, Cause::out_of_memory);
  EXPECT_EQ(trials[3].value, trials[3].metrics[0].second) << "what it reported before stays";
  EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.complete = 5, .failed = 15}));
}

TEST(Driver, AFailureInsideATaskSaysWhatTheTaskSaid) {
  struct Failing : Work {
    using Work::Work;
    rt::Async<void> run(TrialContext& trial) override {
      static const auto broken = rt::task("broken", 1).cpu([](int n) -> int {
        throw std::runtime_error("no " + std::to_string(n));
      });
      trial.segment(1);
      if (trial.trial() > 0) co_await broken(7);
      Report report{.step = 1, .value = 1};
      co_await trial.report(std::move(report));
    }
  };
  support::TempFolder folder;
  Failing work(1);
  session(folder.path(), sim::study(), work);
  auto trials = StudyReader(folder.path()).trials();
  EXPECT_EQ(trials[1].cause, Cause::error);
  EXPECT_EQ(trials[1].message, "broken: no 7");
}

TEST(Driver, StopsWhenTheFirstTrialCannotEvenReport) {
  support::TempFolder folder;
  Work work(1);
  work.at = [](const TrialContext&, std::int64_t) {
    throw std::runtime_error("typo in the script");
  };
  auto result = session(folder.path(), sim::study(), work);
  EXPECT_EQ(result.finished->why, Finish::first);
  StudyReader study(folder.path());
  EXPECT_NE(study.info().reason.find("typo in the script"), std::string::npos);
  EXPECT_EQ(study.info().state, StudyState::failed);
  EXPECT_LT(study.counts().all(), 20);
  EXPECT_FALSE(study.best());
}

TEST(Driver, TriesAnotherTrialWhenTheFirstOneMayBeMended) {
  support::TempFolder folder;
  Work broken(1), mended(1);
  broken.at = [](const TrialContext&, std::int64_t) {
    throw std::runtime_error("typo in the script");
  };
  session(folder.path(), sim::study(), broken);
  const auto failed = StudyReader(folder.path()).counts().failed;
  EXPECT_EQ(session(folder.path(), sim::study(), broken).finished->why, Finish::first);
  EXPECT_GT(StudyReader(folder.path()).counts().failed, failed) << "it was tried once more";
  EXPECT_EQ(session(folder.path(), sim::study(), mended).finished->why, Finish::trials);
  const StudyReader study(folder.path());
  EXPECT_EQ(study.info().state, StudyState::finished);
  EXPECT_EQ(study.counts().running, 0);
  EXPECT_TRUE(study.best());
}

TEST(Driver, StopsAtTheLimitOfFailures) {
  support::TempFolder folder;
  Work work(1);
  work.at = [](const TrialContext& trial, std::int64_t) {
    if (trial.trial() > 0) throw TrialFailure(Cause::diverged, "");
  };
  StudySpec spec = sim::study();
  spec.limits.failed = 5;
  auto result = session(folder.path(), spec, work);
  EXPECT_EQ(result.finished->why, Finish::failed);
  StudyReader study(folder.path());
  EXPECT_EQ(study.counts().failed, 5);
  EXPECT_EQ(study.counts().running, 0);
}

/// However many proposals in a row are impossible, the loop keeps the clock.
TEST(Driver, ImpossibleTrialsDoNotHoldTheLoopUp) {
  struct Impossible : Work {
    using Work::Work;
    TrialFacts facts(const Params& params) override {
      if (calls++ == 0) return Work::facts(params);
      base::sleep_for(std::chrono::milliseconds(1));
      throw base::Error(base::Errc::study, "no such network");
    }
    int calls = 0;
  };
  support::TempFolder folder;
  Impossible work(1);
  StudySpec spec = sim::study();
  spec.limits.trials = 20'000;
  spec.limits.time = 0.3;
  auto result = session(folder.path(), spec, work);
  EXPECT_EQ(result.finished->why, Finish::time);
  EXPECT_GT(StudyReader(folder.path()).counts().failed, 10);
  EXPECT_LT(work.calls, 2'000);
}

TEST(Driver, RetriesTheCausesThatTheStudyNames) {
  support::TempFolder folder;
  Work work(1);
  std::map<std::uint64_t, int> attempts;
  work.at = [&](const TrialContext& trial, std::int64_t epoch) {
    if (epoch == 2 && trial.trial() == 3 && ++attempts[3] <= 2) throw std::bad_alloc();
    if (epoch == 2 && trial.trial() == 5) throw TrialFailure(Cause::killed, "signal 9");
  };
  StudySpec spec = sim::study();
  spec.early_stop = {"none", {}};
  spec.retry = {.max = 2, .on = {Cause::out_of_memory, Cause::killed}};
  session(folder.path(), spec, work);
  auto trials = StudyReader(folder.path()).trials();
  EXPECT_EQ(trials[3].state, TrialState::complete);
  EXPECT_EQ(trials[3].attempts, 3);
  EXPECT_EQ(trials[5].state, TrialState::failed);
  EXPECT_EQ(trials[5].cause, Cause::killed);
  EXPECT_EQ(trials[5].attempts, 3);
  EXPECT_EQ(trials[4].attempts, 1);
}

TEST(Driver, ReportsThatAreNoNumbersNeverWin) {
  support::TempFolder folder;
  Work work(1);
  work.value = [](const Params& p, std::int64_t) {
    double x = std::get<double>(*p.find("x"));
    return x < 0.5 ? std::nan("") : x;
  };
  session(folder.path(), sim::study(), work);
  StudyReader study(folder.path());
  ASSERT_TRUE(study.best());
  EXPECT_GE(study.best()->value, 0.5);
  for (const TrialRow& row : study.trials()) {
    bool bad = std::get<double>(*row.params.find("x")) < 0.5;
    EXPECT_TRUE(!bad || row.state == TrialState::stopped) << row.trial;
  }
}

TEST(Driver, AProposalThatMakesNoNetworkIsAFailedTrial) {
  struct Picky : Work {
    using Work::Work;
    TrialFacts facts(const Params& p) override {
      if (std::get<double>(*p.find("x")) > 0.7)
        throw base::Error(base::Errc::study, "the kernel is larger than the image");
      return {};
    }
  };
  support::TempFolder folder;
  Picky work(1);
  session(folder.path(), sim::study(3), work);
  int failed = 0;
  for (const TrialRow& row : StudyReader(folder.path()).trials()) {
    bool bad = std::get<double>(*row.params.find("x")) > 0.7;
    failed += bad;
    EXPECT_EQ(row.state == TrialState::failed, bad);
  }
  EXPECT_GT(failed, 0);
}

/// Every epoch takes its time on the only worker.
struct Slow : Work {
  using Work::Work;
  std::function<int(std::uint64_t trial)> milliseconds = [](std::uint64_t) { return 0; };
  std::map<std::uint64_t, double> slept;
  rt::Async<void> run(TrialContext& trial) override {
    static const auto sleep = rt::task("sleep", 1).cpu([](int n) -> double {
      const base::Moment start = base::now();
      base::sleep_for(std::chrono::milliseconds(n));
      return base::seconds_since(start);
    });
    for (std::int64_t epoch = 1; epoch <= 4; ++epoch) {
      trial.segment(1);
      slept[trial.trial()] += co_await sleep(milliseconds(trial.trial()));
      Report report{.step = epoch, .epochs = epoch, .value = 1};
      if (co_await trial.report(std::move(report)) == Decision::stop) co_return;
    }
  }
};

StudySpec four_trials(double trial_time) {
  StudySpec spec = sim::study();
  spec.limits.trials = 4;
  spec.limits.trial_time = trial_time;
  return spec;
}

TEST(Driver, TheTimeOfATrialIsLimited) {
  support::TempFolder folder;
  Slow slow(1);
  slow.milliseconds = [](std::uint64_t trial) { return trial == 2 ? 60 : 0; };
  auto result = session(folder.path(), four_trials(0.05), slow);
  EXPECT_EQ(result.end, DriverEnd::finished);
  auto trials = StudyReader(folder.path()).trials();
  EXPECT_EQ(trials[2].state, TrialState::failed);
  EXPECT_EQ(trials[2].cause, Cause::timeout);
  EXPECT_EQ(StudyReader(folder.path()).counts().failed, 1);
}

TEST(Driver, WaitingForAWorkerIsNoTimeOfATrial) {
  support::TempFolder folder;
  Slow slow(1);
  slow.milliseconds = [](std::uint64_t) { return 20; };
  StudySpec spec = four_trials(0.2);
  spec.early_stop = {"none", {}};
  session(folder.path(), spec, slow);
  EXPECT_EQ(StudyReader(folder.path()).counts().failed, 0) << "0.32 s on one worker, 0.08 s each";
}

TEST(Driver, TheSecondsOfATrialAreCountedOnce) {
  support::TempFolder folder;
  Slow slow(1);
  slow.milliseconds = [](std::uint64_t trial) { return trial == 0 ? 40 : 0; };
  StudySpec spec = four_trials(0.06);
  spec.parallel = 1;
  session(folder.path(), spec, slow);
  const TrialRow row = StudyReader(folder.path()).trials()[0];
  EXPECT_EQ(row.cause, Cause::timeout);
  EXPECT_EQ(row.step, 2) << "told before its time ran out";
  EXPECT_NEAR(row.seconds, slow.slept[0], 0.02);
}

TEST(Driver, TheTimeOfAStudyIsLimitedAndMayBeRaised) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.limits.time = 0.0;
  Work work(1);
  auto result = session(folder.path(), spec, work);
  EXPECT_EQ(result.finished->why, Finish::time);
  EXPECT_EQ(StudyReader(folder.path()).counts().running, 0);
  spec.limits.time = 1000;
  Work more(1);
  Observer silent;
  result = session(folder.path(), spec, more, silent, {{"limits.time", "0s", "1000s"}});
  EXPECT_EQ(result.finished->why, Finish::trials);
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 20);
}

TEST(Driver, TheFirstCtrlCStopsCleanly) {
  support::TempFolder reference, folder;
  Work undisturbed(1);
  session(reference.path(), sim::study(), undisturbed);
  std::atomic<int> asked{0};
  Work work(1);
  work.at = [&](const TrialContext& trial, std::int64_t) {
    asked = trial.trial() == 9 ? 1 : asked.load();
  };
  Observer silent;
  auto result = session(folder.path(), sim::study(), work, silent, {}, &asked);
  EXPECT_EQ(result.end, DriverEnd::interrupted);
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::interrupted);
  EXPECT_EQ(StudyReader(folder.path()).counts().running, 0);
  Work rest(2);
  session(folder.path(), sim::study(), rest);
  EXPECT_EQ(events_of(folder.path()), events_of(reference.path()));
}

TEST(Driver, ArrivalOrderRunsToTheEnd) {
  support::TempFolder folder;
  StudySpec spec = sim::study();
  spec.order = Order::arrival;
  Work work(5);
  auto result = session(folder.path(), spec, work);
  EXPECT_EQ(result.finished->why, Finish::trials);
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 20);
}

/// Notes what it is told, and that it is on disk by then.
struct Witness : Observer {
  explicit Witness(const base::Path& f) : folder(f) {}
  void trial_started(const TrialRow& row) override { seen("started", row); }
  void trial_reported(const TrialRow& row) override { seen("reported", row); }
  void trial_ended(const TrialRow& row) override { seen("ended", row); }
  void seen(const char* what, const TrialRow& row) {
    ++told[what];
    EXPECT_TRUE(StudyReader(folder).trial(row.trial)) << "announced before it was on disk";
  }
  base::Path folder;
  std::map<std::string, int> told;
};

TEST(Driver, TellsWhatIsOnDisk) {
  support::TempFolder folder;
  Witness witness(folder.path());
  Work work(1);
  session(folder.path(), sim::study(), work, witness);
  EXPECT_EQ(witness.told["started"], 20);
  EXPECT_EQ(witness.told["ended"], 20);
  EXPECT_EQ(witness.told["reported"], work.measured);
}

}  // namespace
}  // namespace hpo
