// A driver that dies at any event, and again, leaves the study that an undisturbed one leaves.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

using sim::events_of;
using sim::session;
using sim::Work;

/// Runs until the observer has seen `events` of trials, then dies without a word: whatever was not
/// committed is gone.
struct Bomb : Observer {
  explicit Bomb(int events) : left(events) {}
  void trial_started(const TrialRow&) override { tick(); }
  void trial_reported(const TrialRow&) override { tick(); }
  void trial_ended(const TrialRow&) override { tick(); }
  void tick() {
    if (--left < 0) throw sim::Killed();
  }
  int left;
};

int killed_session(const base::Path& folder, const StudySpec& spec, int events,
                   std::uint64_t chance) {
  Work work(chance, folder);
  Bomb bomb(events);
  // Small commits, so that death comes at many states of the log.
  auto delay = std::chrono::microseconds(40 * (chance % 4));
  try {
    session(folder, spec, work, bomb, {}, nullptr, delay);
    return 0;
  } catch (const sim::Killed&) {
    return 1;
  }
}

TEST(Resume, ADeathAtAnyEventChangesNothing) {
  StudySpec spec = sim::study(5);
  spec.limits.trials = 12;
  support::TempFolder reference;
  Work undisturbed(1);
  session(reference.path(), spec, undisturbed);
  const auto expected = events_of(reference.path());
  int deaths = 0;
  for (int events = 0; events < 200; events += 3) {
    support::TempFolder folder;
    int died = killed_session(folder.path(), spec, events, static_cast<std::uint64_t>(events));
    deaths += died;
    Work rest(2, folder.path());
    session(folder.path(), spec, rest);
    ASSERT_EQ(events_of(folder.path()), expected) << "killed after " << events << " events";
    if (!died) break;
  }
  EXPECT_GT(deaths, 10);
}

TEST(Resume, DyingAgainAndAgainChangesNothing) {
  StudySpec spec = sim::study(6);
  support::TempFolder reference;
  Work undisturbed(1);
  session(reference.path(), spec, undisturbed);
  support::TempFolder folder;
  int deaths = 0;
  while (killed_session(folder.path(), spec, 7, 4 * static_cast<std::uint64_t>(deaths)) == 1)
    ASSERT_LT(++deaths, 100);
  EXPECT_GT(deaths, 3);
  EXPECT_EQ(events_of(folder.path()), events_of(reference.path()));
}

TEST(Resume, WhatIsInTheLogIsNotMeasuredAgain) {
  StudySpec spec = sim::study(7);
  support::TempFolder folder;
  killed_session(folder.path(), spec, 40, 3);
  std::int64_t logged = 0;
  for (const EventRow& e : StudyReader(folder.path()).events()) logged += e.kind == "reported";
  Work rest(2, folder.path());
  session(folder.path(), spec, rest);
  std::int64_t all = 0;
  for (const EventRow& e : StudyReader(folder.path()).events()) all += e.kind == "reported";
  EXPECT_EQ(rest.measured, all - logged);
}

TEST(Resume, ParallelMayChangeBetweenSessions) {
  StudySpec spec = sim::study(8);
  support::TempFolder folder;
  killed_session(folder.path(), spec, 30, 3);
  spec.parallel = 2;
  Work rest(2, folder.path());
  Observer silent;
  session(folder.path(), spec, rest, silent, {{"parallel", "4", "2"}});
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 20);
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::finished);
}

TEST(Resume, ADeathAfterAChangeOfSlotsChangesNothing) {
  StudySpec before = sim::study(8), after = before;
  after.parallel = 2;
  const std::vector<Changed> change{{"parallel", "4", "2"}};
  Observer silent;
  support::TempFolder reference, folder;
  killed_session(folder.path(), before, 30, 3);
  std::filesystem::copy(
      folder.path(), reference.path(),
      std::filesystem::copy_options::overwrite_existing | std::filesystem::copy_options::recursive);
  Work undisturbed(2, reference.path()), killed(2, folder.path()), rest(5, folder.path());
  session(reference.path(), after, undisturbed, silent, change);
  Bomb bomb(9);
  EXPECT_THROW(session(folder.path(), after, killed, bomb, change, nullptr, {}), sim::Killed);
  session(folder.path(), after, rest);
  EXPECT_EQ(events_of(folder.path()), events_of(reference.path()));
}

TEST(Resume, AChangeOfArithmeticIsSaid) {
  struct Listener : Observer {
    void note(std::string_view line) override { lines += std::string(line) + "\n"; }
    std::string lines;
  };
  StudySpec spec = sim::study(9);
  support::TempFolder folder;
  killed_session(folder.path(), spec, 10, 3);
  EventLog log(folder.path());
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  Work work(1);
  Listener listener;
  Driver driver({.study = spec,
                 .log = log,
                 .runtime = runtime,
                 .work = work,
                 .observer = listener,
                 .folder = folder.path(),
                 .arithmetic = "another machine"});
  driver.run();
  EXPECT_NE(listener.lines.find("arithmetic changed from \"sim\" to \"another machine\""),
            std::string::npos);
}

}  // namespace
}  // namespace hpo
