#include "hpo/log/study_claim.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/pipe.h"
#include "base/text.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using State = StudyLock::State;

std::vector<std::string> files(const base::Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Writes a claim of somebody else.
void write_claim(const base::Path& folder, int number, const Holder& driver,
                 const std::string& state = "driving") {
  std::ofstream(folder / base::cat("study.claim-", number))
      << state << "\n"
      << driver.text() << driver.address << "\n";
}

/// A process on another machine, at that address.
Holder foreign(const std::string& address) {
  Holder driver = Holder::self();
  driver.host += "-other";
  driver.boot = "other";
  driver.address = address;
  return driver;
}

base::Moment g_now{};

/// A clock that moves only when somebody sleeps.
class FakeClock {
 public:
  FakeClock() {
    base::install_clock(
        {[]() noexcept { return g_now; }, [](base::Duration d) { g_now = g_now + d; }});
  }
  ~FakeClock() { base::install_clock(base::machine_clock()); }
};

void expect_refused(const base::Path& folder, State lock) {
  try {
    const StudyClaim claim(folder, lock);
    ADD_FAILURE() << "two drivers";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::locked);
    EXPECT_NE(std::string(error.what()).find("is in use by process"), std::string::npos);
  }
}

TEST(StudyClaim, ALaterDriverFollowsOneThatEndedInOrder) {
  const support::TempFolder folder;
  for (int session = 1; session <= 3; ++session) {
    const StudyClaim claim(folder.path(), State::unknown);
    EXPECT_TRUE(claim.stands());
    EXPECT_EQ(claim.is_first(), session == 1);
    EXPECT_EQ(files(folder.path()), std::vector<std::string>{base::cat("study.claim-", session)});
    EXPECT_EQ(StudyClaim::latest(folder.path())->pid, ::getpid());
  }
  EXPECT_FALSE(StudyClaim::latest(folder.path()));
}

TEST(StudyClaim, TwoWithoutALockAreNotBothDrivers) {
  const support::TempFolder folder;
  const StudyClaim first(folder.path(), State::unknown);
  expect_refused(folder.path(), State::unknown);
  EXPECT_TRUE(first.stands());
  EXPECT_TRUE(claimant(folder.path(), State::unknown));
}

TEST(StudyClaim, ADriverOfAnotherMachineThatAnswersIsLeftAlone) {
  const support::TempFolder folder;
  const LivenessPort port;
  write_claim(folder.path(), 7, foreign(port.address()));
  expect_refused(folder.path(), State::free);
  EXPECT_EQ(files(folder.path()), std::vector<std::string>{"study.claim-7"});
  EXPECT_TRUE(claimant(folder.path(), State::free));
}

TEST(StudyClaim, OneThatDoesNotAnswerIsFollowedAfterTenSeconds) {
  const support::TempFolder folder;
  std::string closed;
  {
    const LivenessPort port;
    closed = port.address();
  }
  write_claim(folder.path(), 7, foreign(closed));
  EXPECT_FALSE(claimant(folder.path(), State::free));
  const FakeClock clock;
  const base::Moment begun = base::now();
  const StudyClaim claim(folder.path(), State::free);
  EXPECT_GE(base::seconds_since(begun), 10);
  EXPECT_EQ(files(folder.path()), std::vector<std::string>{"study.claim-8"});
}

TEST(StudyClaim, NobodyWaitsForOneThatSaidThatItEnded) {
  const support::TempFolder folder;
  write_claim(folder.path(), 7, foreign("token 127.0.0.1:1"), "ended  ");
  const base::Moment begun = base::now();
  const StudyClaim claim(folder.path(), State::free);
  EXPECT_LT(base::seconds_since(begun), 5);
}

TEST(StudyClaim, NobodyWaitsForADeadProcessOfThisMachine) {
  const support::TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const StudyClaim claim(folder.path(), State::unknown);
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(StudyClaim::latest(folder.path()));
  const base::Moment begun = base::now();
  const StudyClaim claim(folder.path(), State::unknown);
  EXPECT_LT(base::seconds_since(begun), 5);
}

TEST(StudyClaim, AFrozenProcessOfThisMachineKeepsItsStudy) {
  const support::TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const StudyClaim claim(folder.path(), State::unknown);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, WUNTRACED), child);
  expect_refused(folder.path(), State::unknown);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(StudyClaim, ALockOfThisMachineIsBelieved) {
  const support::TempFolder folder;
  const LivenessPort port;
  Holder copied = Holder::self();
  copied.address = port.address();
  write_claim(folder.path(), 7, copied);
  EXPECT_NO_THROW(StudyClaim(folder.path(), State::free)) << "a copy of a study that is driven";
  write_claim(folder.path(), 9, copied);
  expect_refused(folder.path(), State::unknown);
}

TEST(StudyClaim, AnOlderClaimCountsWhereTheLastOneDiedAtOnce) {
  const support::TempFolder folder;
  const StudyClaim first(folder.path(), State::unknown);
  write_claim(folder.path(), 2, foreign(""));
  expect_refused(folder.path(), State::unknown);
}

TEST(StudyClaim, WhoLostTheStudyKnowsItAndLeavesTheClaimOfOthers) {
  const support::TempFolder folder;
  std::optional<StudyClaim> first(std::in_place, folder.path(), State::unknown);
  std::filesystem::remove(folder / "study.claim-1");
  EXPECT_TRUE(first->stands()) << "only tidied up";
  write_claim(folder.path(), 2, foreign("token 127.0.0.1:1"));
  EXPECT_FALSE(first->stands());
  std::filesystem::remove(folder / "study.claim-2");
  const std::string other = foreign("token 127.0.0.1:1").text();
  write_claim(folder.path(), 1, foreign("token 127.0.0.1:1"));
  EXPECT_FALSE(first->stands()) << "the same number in a folder that was made anew";
  first.reset();
  EXPECT_TRUE(StudyClaim::latest(folder.path())) << "it ended the other's";
}

/// Until nobody holds the pipe's other end any more.
void wait_for_end(base::Pipe& pipe) {
  (void)pipe.write.close();
  (void)base::read_all(pipe.read.fd());
}

/// A process that claims the study once `begin` ends, and drives it until `end` does. Exit codes:
/// 0, 5 for one that was refused, 1.
pid_t claim_in_a_process(const base::Path& folder, base::Pipe& begin, base::Pipe& end) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    wait_for_end(begin);
    const StudyClaim claim(folder, State::unknown);
    wait_for_end(end);
    ::_exit(claim.stands() ? 0 : 1);
  } catch (const base::Error& error) {
    ::_exit(error.kind() == base::Errc::locked ? 5 : 1);
  }
}

TEST(StudyClaim, OneOfManyThatBeginTogetherIsTheDriver) {
  constexpr int kDrivers = 8;
  for (int round = 0; round < 50; ++round) {
    const support::TempFolder folder;
    base::Pipe begin = base::open_pipe(), end = base::open_pipe();
    std::vector<pid_t> children;
    for (int i = 0; i < kDrivers; ++i)
      children.push_back(claim_in_a_process(folder.path(), begin, end));
    (void)begin.write.close();
    int drivers = 0, refused = 0;
    const base::Moment begun = base::now();
    while (!children.empty()) {
      // All but the driver end by themselves; should there be two, they must end, too.
      if (children.size() == 1 || base::seconds_since(begun) > 30) (void)end.write.close();
      std::erase_if(children, [&](pid_t child) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) != child) return false;
        drivers += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        refused += WIFEXITED(status) && WEXITSTATUS(status) == 5;
        return true;
      });
      base::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(drivers, 1);
    EXPECT_EQ(refused, kDrivers - 1);
  }
}

TEST(StudyClaim, ALinkInItsPlaceIsRefused) {
  const support::TempFolder folder;
  std::filesystem::create_symlink(folder / "victim", folder / "study.claim-1");
  EXPECT_THROW(StudyClaim(folder.path(), State::free), base::Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "victim"));
}

}  // namespace
}  // namespace hpo
