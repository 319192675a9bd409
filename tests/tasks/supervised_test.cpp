// Programs under supervisors: how each ends, and that nothing of it is left.

#include "tasks/supervised.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/descendants.h"
#include "base/text.h"
#include "tests/support/temp_folder.h"

namespace {

using base::ProcessEnd;
using tasks::SupervisorNews;

constexpr std::int64_t kMillisecond = 1'000'000;

class Supervised : public testing::Test {
 protected:
  [[nodiscard]] base::File open(const char* name) const {
    return base::File(
        ::open((folder_ / name).c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  }

  std::uint64_t shell(const std::string& script, tasks::SupervisorOrder order = {}) {
    if (order.log_bytes == 0) order.log_bytes = 1 << 20;
    if (order.grace == 0) order.grace = 200 * kMillisecond;
    return programs_.start({.path = "/bin/sh",
                            .words = {"sh", "-c", script},
                            .folder = folder_.path().string(),
                            .environment = {{"REPORTS", (folder_ / "reports").string()}},
                            .order = order,
                            .log = log_.fd(),
                            .reports = folder_ / "reports"});
  }

  /// Waits for the end of a program; what came before it is counted.
  SupervisorNews end_of(std::uint64_t program) {
    for (int i = 0; i < 4000; ++i) {
      for (const tasks::ProgramNews& news : programs_.take()) {
        if (news.news.over)
          ends_[news.program] = news.news;
        else
          ++told_[news.program];
      }
      if (ends_.contains(program)) return ends_[program];
      base::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "the program never ended";
    return {};
  }

  /// Starts a program that prints `ready`, asks it to stop then, and returns its number. It has
  /// time to print `saved`, and needs little of its grace.
  std::uint64_t expect_saves_when_stopped(const std::string& script) {
    const std::uint64_t program = shell(script, {.grace = 10'000 * kMillisecond});
    while (log().find("ready") == std::string::npos) base::sleep_for(std::chrono::milliseconds(5));
    programs_.stop(program);
    const SupervisorNews stopped = end_of(program);
    EXPECT_EQ(stopped.end, ProcessEnd::stopped);
    EXPECT_LT(stopped.took, 9'000 * kMillisecond);
    EXPECT_NE(log().find("saved"), std::string::npos);
    return program;
  }

  [[nodiscard]] std::string log() const { return base::read_file(folder_ / "log"); }

  /// Until the supervisors of all that has ended have, too.
  void settle() {
    for (int i = 0; i < 1000 && programs_.running() > 0; ++i) {
      (void)programs_.take();
      base::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(programs_.running(), 0);
  }

  void TearDown() override {
    settle();
    EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
  }

  support::TempFolder folder_;
  base::File log_ = open("log");
  tasks::Supervisors programs_{[] {}};
  std::map<std::uint64_t, SupervisorNews> ends_;
  std::map<std::uint64_t, int> told_;
};

TEST_F(Supervised, EndByThemselves) {
  const SupervisorNews well = end_of(shell("echo out; echo err >&2; pwd"));
  EXPECT_EQ(well.end, ProcessEnd::exited);
  EXPECT_EQ(well.status, 0);
  EXPECT_EQ(log(), "out\nerr\n" + std::filesystem::canonical(folder_.path()).string() + "\n");
  EXPECT_EQ(end_of(shell("exit 3")).status, 3);
  const SupervisorNews dead = end_of(shell("kill -SEGV $$"));
  EXPECT_EQ(dead.end, ProcessEnd::killed);
  EXPECT_EQ(dead.status, SIGSEGV);
}

TEST_F(Supervised, ThatCannotBeStartedSaySo) {
  const std::uint64_t program = programs_.start({.path = "/nowhere/at/all",
                                                 .words = {"all"},
                                                 .folder = folder_.path().string(),
                                                 .order = {.log_bytes = 1024},
                                                 .log = log_.fd(),
                                                 .reports = folder_ / "reports"});
  EXPECT_EQ(end_of(program).end, ProcessEnd::refused);
  EXPECT_EQ(end_of(program).status, ENOENT);
}

TEST_F(Supervised, AreEndedWhenTheyTakeTooLong) {
  const SupervisorNews slow = end_of(shell("sleep 60", {.time = 100 * kMillisecond}));
  EXPECT_EQ(slow.end, ProcessEnd::timed_out);
  EXPECT_GE(slow.took, 100 * kMillisecond);
  EXPECT_LT(slow.took, 20'000 * kMillisecond);
  const SupervisorNews deaf = end_of(
      shell("trap '' TERM; echo deaf; while :; do sleep 1; done", {.time = 100 * kMillisecond}));
  EXPECT_EQ(deaf.end, ProcessEnd::timed_out);
  EXPECT_GE(deaf.took, 300 * kMillisecond);
}

TEST_F(Supervised, AreEndedWhenNothingHappens) {
  const tasks::SupervisorOrder order{.stall = 400 * kMillisecond};
  EXPECT_EQ(end_of(shell("echo begun; sleep 60", order)).end, ProcessEnd::stalled);
  const SupervisorNews prints =
      end_of(shell("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done", order));
  EXPECT_EQ(prints.end, ProcessEnd::exited);
  const SupervisorNews reports =
      end_of(shell("for i in 1 2 3 4 5 6 7 8; do echo $i >> $REPORTS; sleep 0.1; done", order));
  EXPECT_EQ(reports.end, ProcessEnd::exited);
}

TEST_F(Supervised, TellOfOutputAndReports) {
  const std::uint64_t program =
      shell("echo 1 >> $REPORTS; sleep 0.2; echo 2 >> $REPORTS; sleep 0.2");
  EXPECT_EQ(end_of(program).end, ProcessEnd::exited);
  EXPECT_GE(told_[program], 2);
}

TEST_F(Supervised, StopWhenAsked) {
  const std::uint64_t kind = expect_saves_when_stopped(
      "trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  programs_.stop(kind);  // one that is over
}

/// A shell dies of SIGTERM at once; what it waits for has its grace.
TEST_F(Supervised, HaveTheirGraceBehindAShell) {
  (void)expect_saves_when_stopped(
      "sh -c 'trap \"sleep 0.3; echo saved; exit 0\" TERM; echo ready; while :; do sleep 0.01; "
      "done'; echo over");
  const SupervisorNews deaf =
      end_of(shell("sh -c 'trap \"\" TERM; sleep 60'; echo over", {.time = 100 * kMillisecond}));
  EXPECT_EQ(deaf.end, ProcessEnd::timed_out);
  EXPECT_LT(deaf.took, 20'000 * kMillisecond);
}

/// What left the program's group, as timeout(1) and setsid(1) do, has its grace as well.
TEST_F(Supervised, HaveTheirGraceInOtherGroups) {
  (void)expect_saves_when_stopped(
      "setsid sh -c 'trap \"echo saved; exit 0\" TERM; echo ready; while :; do sleep 0.01; done'; "
      "echo over");
}

/// A program that is suspended takes no signal before it goes on.
TEST_F(Supervised, HaveTheirGraceThoughTheyAreSuspended) {
  const std::string suspended =
      "trap \"echo saved; exit 0\" TERM; "
      "(until grep -q \"^State:.T\" /proc/$$/status; do sleep 0.01; done; echo ready) & "
      "kill -STOP $$; while :; do sleep 0.01; done";
  (void)expect_saves_when_stopped(suspended);
  ASSERT_EQ(::ftruncate(log_.fd(), 0), 0);
  (void)expect_saves_when_stopped(base::cat("setsid sh -c '", suspended, "'; echo over"));
}

/// Whatever a program does to the file, news of it come.
TEST_F(Supervised, TellOfAReportFileThatIsMadeAnew) {
  const std::uint64_t program = shell(
      "echo 1 > $REPORTS; sleep 0.2; echo 2 > $REPORTS; sleep 0.2; echo 3 > new; mv new $REPORTS; "
      "sleep 0.2");
  EXPECT_EQ(end_of(program).end, ProcessEnd::exited);
  EXPECT_GE(told_[program], 3);
}

TEST_F(Supervised, LeaveNobodyBehind) {
  // A child in a session of its own whose parent has ended, which ignores what it can.
  const std::string leave =
      "(setsid sh -c 'trap \"\" TERM HUP; sleep 60 & sleep 60' &) ; sleep 60 & echo left";
  EXPECT_EQ(end_of(shell(leave)).end, ProcessEnd::exited);
  settle();
  EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
  EXPECT_EQ(end_of(shell(leave + "; sleep 60", {.time = 200 * kMillisecond})).end,
            ProcessEnd::timed_out);
  settle();
  EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
}

TEST_F(Supervised, KeepBeginningAndEndOfALongLog) {
  const SupervisorNews flood =
      end_of(shell("echo first; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo last",
                   {.log_bytes = 100'000}));
  EXPECT_EQ(flood.end, ProcessEnd::exited);
  const std::string text = log();
  EXPECT_LT(text.size(), 100'200);
  EXPECT_TRUE(text.starts_with("first\nxxx"));
  EXPECT_TRUE(text.ends_with("xxx\nlast\n"));
  EXPECT_NE(text.find(base::cat("\n[", flood.left_out, " bytes of output left out]\n")),
            std::string::npos);
  EXPECT_EQ(flood.left_out, 30'000'000 + 12 - 100'000);
}

TEST_F(Supervised, DieOfTooMuchMemory) {
  const SupervisorNews hungry =
      end_of(shell("x=$(head -c 150000000 /dev/zero | tr '\\0' x); sleep 60; echo ${#x}",
                   {.memory = 50'000'000}));
  EXPECT_EQ(hungry.end, ProcessEnd::out_of_memory);
}

TEST_F(Supervised, MayShareMuchMemory) {
  // Nine processes with the same 40 MB.
  const SupervisorNews loaders =
      end_of(shell("x=$(head -c 40000000 /dev/zero | tr '\\0' x)\n"
                   "for i in 1 2 3 4 5 6 7 8; do (sleep 1; echo read) & done; wait",
                   {.memory = 250'000'000}));
  EXPECT_EQ(loaders.end, ProcessEnd::exited);
  EXPECT_NE(log().find("read\nread"), std::string::npos);
}

TEST_F(Supervised, AreNotKilledBySignalsToAllProcesses) {
  const std::vector<pid_t> before = base::children();
  const std::uint64_t program =
      shell("trap 'sleep 0.3; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
            {.grace = 10'000 * kMillisecond});
  while (log().find("ready") == std::string::npos) base::sleep_for(std::chrono::milliseconds(5));
  for (const pid_t child : base::children()) {
    if (std::ranges::find(before, child) != before.end()) continue;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
      ::kill(child, signal);
  }
  base::sleep_for(std::chrono::milliseconds(100));
  programs_.stop(program);
  EXPECT_EQ(end_of(program).end, ProcessEnd::stopped);
  EXPECT_NE(log().find("saved"), std::string::npos);
}

TEST_F(Supervised, SayTheirEndWhenTheyAreStoppedAtThatMoment) {
  for (int i = 0; i < 120; ++i) {
    const std::uint64_t program = shell("exit 7");
    const base::Moment begin = base::now();
    while (base::now() - begin < std::chrono::microseconds(100 * i)) continue;
    programs_.stop(program);
    EXPECT_NE(end_of(program).end, ProcessEnd::lost) << "stopped after " << i << " tenths of a ms";
  }
}

TEST_F(Supervised, AreLostWithTheirSupervisor) {
  const std::uint64_t other = shell("sleep 0.5; echo fine");
  const std::vector<pid_t> before = base::children();
  const std::uint64_t program = shell("(setsid sleep 60 &); echo up; sleep 60");
  while (log().find("up") == std::string::npos) base::sleep_for(std::chrono::milliseconds(5));
  for (const pid_t child : base::children()) {
    if (std::ranges::find(before, child) == before.end()) ::kill(child, SIGKILL);
  }
  EXPECT_EQ(end_of(program).end, ProcessEnd::lost);
  EXPECT_EQ(end_of(other).end, ProcessEnd::exited);
  EXPECT_NE(log().find("fine"), std::string::npos);
}

TEST_F(Supervised, GetTheirWordsAsTheyAre) {
  const std::vector<std::string> hostile{"$(touch canary)",
                                         "`touch canary`",
                                         "; touch canary",
                                         "a\nb",
                                         "\"'\\",
                                         "-rf",
                                         "\xff\xfe",
                                         "",
                                         "*",
                                         "~",
                                         "$HOME"};
  std::vector<std::string> words{"printf", "[%s]"};
  words.insert(words.end(), hostile.begin(), hostile.end());
  const std::uint64_t program = programs_.start({.path = "/usr/bin/printf",
                                                 .words = words,
                                                 .folder = folder_.path().string(),
                                                 .order = {.log_bytes = 1 << 20},
                                                 .log = log_.fd(),
                                                 .reports = folder_ / "reports"});
  EXPECT_EQ(end_of(program).status, 0);
  std::string expected;
  for (const std::string& word : hostile) expected += "[" + word + "]";
  EXPECT_EQ(log(), expected);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "canary"));
}

TEST_F(Supervised, ManyAtOnce) {
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 32; ++i) all.push_back(shell(base::cat("sleep 0.2; exit ", i)));
  for (int i = 0; i < 32; ++i) EXPECT_EQ(end_of(all[static_cast<std::size_t>(i)]).status, i);
}

}  // namespace
