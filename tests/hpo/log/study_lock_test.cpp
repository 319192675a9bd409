#include "hpo/log/study_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "base/clock.h"
#include "hpo/log/stop_driver.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

/// Until somebody else has the lock.
void wait_for_holder(const base::Path& folder) {
  while (StudyLock::look(folder) != StudyLock::State::held || !StudyLock::holder(folder))
    base::sleep_for(std::chrono::milliseconds(5));
}

/// A process that holds the lock of the folder until it is killed.
pid_t hold(const base::Path& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    const StudyLock lock(folder);
    for (;;) ::pause();
  }
  wait_for_holder(folder);
  return child;
}

TEST(StudyLock, WhoHasEndedIsNotAliveWhileNobodyWaitsForIt) {
  const support::TempFolder folder;
  const pid_t child = hold(folder.path());
  const Holder holder = StudyLock::holder(folder.path()).value();
  EXPECT_EQ(holder.pid, child);
  EXPECT_EQ(holder.alive(), true);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(holder.alive(), false);
  EXPECT_EQ(StudyLock::look(folder.path()), StudyLock::State::free);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(holder.alive(), false);
}

TEST(StudyLock, AStopWaitsForTheEndAndForNobodyWhoSeesIt) {
  const support::TempFolder folder;
  const pid_t child = hold(folder.path());
  const Stopping stopped = stop_driver(folder.path(), 10);
  EXPECT_EQ(stopped.answer, StopAnswer::stopped);
  EXPECT_EQ(stopped.driver.pid, child);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(StudyLock, KnowsItself) {
  Holder self = Holder::self();
  EXPECT_EQ(self.alive(), true);
  ++self.started;
  EXPECT_EQ(self.alive(), false) << "another process with its number";
  self.host += "-other";
  EXPECT_EQ(self.alive(), std::nullopt);
}

}  // namespace
}  // namespace hpo
