// Trials that wait for a decision, and go on with their own network or another one's.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

using sim::events_of;

constexpr std::int64_t kEpochs = 9;

StudySpec population(std::int64_t members, std::int64_t parallel, std::uint64_t seed = 1) {
  StudySpec spec = sim::study(seed);
  spec.method = {"pbt",
                 {{"members", members},
                  {"every", std::int64_t{2}},
                  {"quantile", 0.25},
                  {"resample", 0.25},
                  {"factor", 1.2}}};
  spec.explorable = {"x"};
  spec.early_stop = {"none", {}};
  spec.max_epochs = kEpochs;
  spec.parallel = parallel;
  spec.limits.trials = members;
  return spec;
}

/// A network is a number here: what each epoch under each params added to it.
class Skill : public TrialWork {
 public:
  explicit Skill(std::uint64_t chance, base::Path folder = {})
      : luck_(chance, "real time"), folder_(std::move(folder)) {}

  std::function<bool(std::uint64_t trial, std::int64_t epoch)> diverges = [](auto, auto) {
    return false;
  };
  std::function<void(std::uint64_t trial, std::int64_t epoch)> at = [](auto, auto) {};
  std::set<std::uint64_t> at_work;
  std::size_t most_at_work = 0;

  static double gain(const Params& params) {
    const double x = std::get<double>(*params.find("x"));
    return 1 - (x - 0.3) * (x - 0.3);
  }

  static double skill_of(const Lineage& lineage) {
    double skill = 0;
    for (std::size_t i = 0; i + 1 < lineage.size(); ++i)
      skill += static_cast<double>(lineage[i + 1].from - lineage[i].from) * gain(lineage[i].params);
    return skill;
  }

  rt::Async<void> run(TrialContext& trial) override {
    const Lineage lineage = trial.lineage();
    const std::int64_t from = lineage.back().from;
    const auto logged = trial.logged();
    std::size_t behind = 0;
    while (behind < logged.size() && logged[behind].epochs <= from) ++behind;
    if (from > 0) trial.go_on_behind(behind);
    double skill = skill_of(lineage);
    const auto cost = static_cast<double>(std::get<std::int64_t>(*trial.params().find("size")));
    for (std::int64_t epoch = from + 1; epoch <= kEpochs; ++epoch) {
      trial.segment(cost);
      skill += gain(trial.params());
      const bool bad = diverges(trial.trial(), epoch);
      if (trial.replayed()) {
        if (bad && epoch == logged.back().step) throw TrialFailure(Cause::diverged, "loss is nan");
        continue;
      }
      at_work.insert(trial.trial());
      most_at_work = std::max(most_at_work, at_work.size());
      for (std::uint64_t i = luck_.below(4); i > 0; --i) co_await sim::tick(1);
      at(trial.trial(), epoch);
      at_work.erase(trial.trial());
      if (bad && !trial.pauses(epoch)) throw TrialFailure(Cause::diverged, "loss is nan");
      Report report{.step = epoch, .epochs = epoch, .value = bad ? std::nan("") : -skill};
      if (co_await trial.report(std::move(report)) == Decision::stop) co_return;
      if (bad) throw TrialFailure(Cause::diverged, "loss is nan");
    }
  }

  rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                  const TrialTable& /*trials*/) override {
    // The last stage is as long as its network was trained.
    const double skill = skill_of(lineage) +
                         static_cast<double>(lineage.back().network.epochs - lineage.back().from) *
                             gain(lineage.back().params);
    EXPECT_NEAR(skill, -best.value.value(), 1e-9);
    if (!folder_.empty())
      base::write_file_atomic(folder_ / "best.txt", "network", base::Durability::cached);
    co_return ExportedModel{"best.txt", {{"test.loss", *best.value}}};
  }

 private:
  base::Stream luck_;
  base::Path folder_;
};

struct Bomb : Observer {
  explicit Bomb(int events) : left(events) {}
  void trial_started(const TrialRow&) override { tick(); }
  void trial_reported(const TrialRow&) override { tick(); }
  void trial_replaced(const TrialRow&, const Replaced&) override { tick(); }
  void trial_ended(const TrialRow&) override { tick(); }
  void tick() {
    if (--left < 0) throw sim::Killed();
  }
  int left;
};

DriverEnd session(const base::Path& folder, const StudySpec& spec, TrialWork& work,
                  Observer& observer, base::Duration delay = std::chrono::milliseconds(10)) {
  EventLog log(folder);
  if (!log.facts()) log.begin(sim::facts(spec));
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  Driver driver({.study = spec,
                 .log = log,
                 .runtime = runtime,
                 .work = work,
                 .observer = observer,
                 .folder = folder,
                 .arithmetic = "sim",
                 .commit_delay = delay});
  return driver.run();
}

DriverEnd session(const base::Path& folder, const StudySpec& spec, TrialWork& work) {
  Observer silent;
  return session(folder, spec, work, silent);
}

/// The first event that differs, for messages.
std::string difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string left = i < a.size() ? a[i] : "nothing",
                      right = i < b.size() ? b[i] : "nothing";
    if (left != right) return base::cat(left, " instead of ", right);
  }
  return "";
}

std::vector<EventRow> rows_of(const base::Path& folder, std::string_view kind) {
  std::vector<EventRow> rows;
  for (EventRow& row : StudyReader(folder).events()) {
    if (row.kind == kind) rows.push_back(std::move(row));
  }
  return rows;
}

TEST(Pause, APopulationRunsToItsEnd) {
  support::TempFolder folder;
  Skill work(1);
  ASSERT_EQ(session(folder.path(), population(8, 8), work), DriverEnd::finished);
  StudyReader study(folder.path());
  EXPECT_EQ(study.counts(), (TrialCounts{.complete = 8}));
  EXPECT_EQ(rows_of(folder.path(), "replaced").size(), 2U * 4) << "two at 2, 4, 6 and 8";
  EXPECT_EQ(rows_of(folder.path(), "resumed").size(), 8U * 4);
  for (const TrialRow& row : study.trials()) {
    EXPECT_EQ(row.epochs, kEpochs);
    const auto born = std::get<Created>(
        body_of("created", rows_of(folder.path(), "created")[row.trial].payload()));
    EXPECT_EQ(!row.parent, born.params == row.params);
  }
}

TEST(Pause, MoreMembersThanSlotsTakeTurns) {
  for (const std::int64_t slots : {1, 2, 3, 5}) {
    support::TempFolder folder;
    Skill work(3);
    ASSERT_EQ(session(folder.path(), population(8, slots), work), DriverEnd::finished);
    EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.complete = 8}));
    EXPECT_LE(work.most_at_work, static_cast<std::size_t>(slots));
    EXPECT_EQ(rows_of(folder.path(), "replaced").size(), 8U) << slots;
  }
}

TEST(Pause, WhoIsReplacedDoesNotDependOnTheSlots) {
  std::vector<std::vector<std::string>> all;
  for (const std::int64_t slots : {1, 3, 8}) {
    support::TempFolder folder;
    Skill work(3);
    session(folder.path(), population(8, slots), work);
    std::vector<std::string>& replaced = all.emplace_back();
    for (const EventRow& row : rows_of(folder.path(), "replaced"))
      replaced.push_back(base::cat(*row.trial, row.payload()));
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

TEST(Pause, EveryOrderOfCompletionGivesTheSameStudy) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const StudySpec spec = population(7, 1 + static_cast<std::int64_t>(seed), seed);
    std::vector<std::string> expected;
    for (std::uint64_t chance = 0; chance < 4; ++chance) {
      support::TempFolder folder;
      Skill work(chance);
      session(folder.path(), spec, work);
      if (chance == 0) expected = events_of(folder.path());
      ASSERT_EQ(difference(events_of(folder.path()), expected), "") << seed << " " << chance;
    }
  }
}

TEST(Pause, ADeathAtAnyEventChangesNothing) {
  const StudySpec spec = population(6, 4, 5);
  support::TempFolder reference;
  Skill undisturbed(1);
  session(reference.path(), spec, undisturbed);
  const auto expected = events_of(reference.path());
  int deaths = 0;
  for (int events = 0; events < 120; events += 4) {
    support::TempFolder folder;
    Skill killed(static_cast<std::uint64_t>(events), folder.path());
    Bomb bomb(events);
    bool died = false;
    try {
      session(folder.path(), spec, killed, bomb, std::chrono::microseconds(40 * (events / 4 % 3)));
    } catch (const sim::Killed&) {
      died = true;
      ++deaths;
    }
    Skill rest(2);
    session(folder.path(), spec, rest);
    ASSERT_EQ(difference(events_of(folder.path()), expected), "")
        << "killed after " << events << " events";
    if (!died) break;
  }
  EXPECT_GT(deaths, 12);
}

/// The log cut after each of its events, as a driver finds it that died between two commits.
TEST(Pause, EveryBeginningOfTheLogLeadsToTheWhole) {
  const StudySpec spec = population(5, 2, 6);
  support::TempFolder reference;
  Skill undisturbed(1);
  session(reference.path(), spec, undisturbed);
  const auto expected = events_of(reference.path());
  const std::vector<EventRow> rows = StudyReader(reference.path()).events();
  for (std::size_t cut = 1; cut < rows.size(); ++cut) {
    support::TempFolder folder;
    {
      EventLog log(folder.path());
      log.begin(sim::facts(spec));
      log.replay([](const Event&) {});
      for (std::size_t i = 0; i < cut; ++i)
        log.append({.vtime = rows[i].vtime,
                    .trial = rows[i].trial,
                    .body = body_of(rows[i].kind, rows[i].payload())});
      log.commit();
    }
    Skill rest(cut);
    session(folder.path(), spec, rest);
    ASSERT_EQ(difference(events_of(folder.path()), expected), "")
        << "cut after " << cut << " events";
  }
}

TEST(Pause, WhoIsNeverDecidedAboutIsStoppedInTheEnd) {
  support::TempFolder folder;
  StudySpec spec = population(8, 3);
  spec.limits.trials = 5;  // the other three never come
  Skill work(1);
  ASSERT_EQ(session(folder.path(), spec, work), DriverEnd::finished);
  StudyReader study(folder.path());
  EXPECT_EQ(study.counts(), (TrialCounts{.stopped = 5}));
  EXPECT_EQ(study.best()->epochs, 2);
}

TEST(Pause, AnAttemptThatBreaksGoesOnFromTheNetworkThatWasTakenOver) {
  StudySpec spec = population(6, 3, 5);
  support::TempFolder reference, folder;
  Skill undisturbed(1), broken(1);
  session(reference.path(), spec, undisturbed);
  spec.retry = {.max = 9, .on = {Cause::error}};
  std::set<std::uint64_t> broke;
  broken.at = [&](std::uint64_t trial, std::int64_t epoch) {
    if (epoch == 5 && broke.insert(trial).second) throw std::runtime_error("it broke");
  };
  session(folder.path(), spec, broken);
  EXPECT_EQ(broke.size(), 6U);
  const auto before = StudyReader(reference.path()).trials();
  const auto after = StudyReader(folder.path()).trials();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].attempts, 2);
    EXPECT_EQ(after[i].value, before[i].value);
    EXPECT_EQ(after[i].params, before[i].params);
    EXPECT_EQ(after[i].parent, before[i].parent);
  }
}

TEST(Pause, AMemberThatFailsIsNotWaitedFor) {
  support::TempFolder folder;
  Skill work(1);
  work.at = [](std::uint64_t trial, std::int64_t epoch) {
    if (trial == 2 && epoch == 3) throw std::runtime_error("it broke");
  };
  ASSERT_EQ(session(folder.path(), population(8, 8), work), DriverEnd::finished);
  EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.complete = 7, .failed = 1}));
}

TEST(Pause, AMemberThatDivergesIsReplaced) {
  support::TempFolder folder;
  Skill work(1);
  work.diverges = [](std::uint64_t trial, std::int64_t epoch) { return trial == 3 && epoch == 4; };
  ASSERT_EQ(session(folder.path(), population(8, 8), work), DriverEnd::finished);
  EXPECT_EQ(StudyReader(folder.path()).counts(), (TrialCounts{.complete = 8}));
  bool replaced = false;
  for (const EventRow& row : rows_of(folder.path(), "replaced")) {
    const auto event = std::get<Replaced>(body_of(row.kind, row.payload()));
    if (row.trial == 3U && event.step == 4) replaced = true;
    EXPECT_FALSE(event.source == 3 && event.step == 4);
  }
  EXPECT_TRUE(replaced);
}

TEST(Pause, WhereNobodyHasABetterNetworkWhatDivergedFails) {
  const StudySpec spec = population(3, 3);
  support::TempFolder reference;
  Skill work(1);
  work.diverges = [](std::uint64_t, std::int64_t epoch) { return epoch == 4; };
  session(reference.path(), spec, work);
  EXPECT_EQ(StudyReader(reference.path()).counts(), (TrialCounts{.failed = 3}));
  const auto expected = events_of(reference.path());
  for (const int events : {12, 14, 15, 16}) {
    support::TempFolder folder;
    Skill killed(1), rest(2);
    killed.diverges = rest.diverges = work.diverges;
    Bomb bomb(events);
    EXPECT_THROW(session(folder.path(), spec, killed, bomb, {}), sim::Killed);
    session(folder.path(), spec, rest);
    EXPECT_EQ(difference(events_of(folder.path()), expected), "") << events;
  }
}

}  // namespace
}  // namespace hpo
