// Programs under supervision: what they are given, what comes back, and that nothing of them is
// left, whatever they do.

#include "base/process/program.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "tests/base/process/gone.h"
#include "tests/support/temp_folder.h"

namespace {

using base::ProcessEnd;
using base::Program;
using base::ProgramResult;

class Programs : public testing::Test {
 protected:
  [[nodiscard]] Program shell(const std::string& script) const {
    return {.command = {"sh", "-c", script}, .folder = folder_.path().string()};
  }
  [[nodiscard]] int number_in(const char* file) const {
    std::ifstream in(folder_ / file);
    int number = 0;
    in >> number;
    return number;
  }
  support::TempFolder folder_;
};

TEST_F(Programs, ReadTheirInputAndPrint) {
  Program program = shell("cat; echo to you >&2; exit 3");
  program.input = std::string(300000, 'x') + "end";
  const ProgramResult result = base::run_program(program);
  EXPECT_EQ(result.end, ProcessEnd::exited);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, program.input);
  EXPECT_EQ(result.errors, "to you\n");
  EXPECT_EQ(base::end_text(program, result), "exited with status 3");
}

TEST_F(Programs, RunInTheirFolderWithTheirEnvironment) {
  Program program = shell("echo $(pwd -P) $TRELLIS_TRIAL $(ls /proc/self/fd | wc -l)");
  program.environment = {{"TRELLIS_TRIAL", "7"}};
  const std::string folder = std::filesystem::canonical(folder_.path()).string();
  // The three streams and the folder that ls reads.
  EXPECT_EQ(base::run_program(program).output, base::cat(folder, " 7 4\n"));
}

TEST_F(Programs, NeedNotReadOrEvenKeepTheirStreams) {
  Program program = shell("exec <&- >&- 2>&-; exit 0");
  program.input = std::string(300000, 'x');
  const ProgramResult result = base::run_program(program);
  EXPECT_EQ(result.end, ProcessEnd::exited);
  EXPECT_EQ(result.status, 0);
}

TEST_F(Programs, AreStoppedWhenTheyTakeTooLong) {
  Program program = shell("sleep 1000 & echo $! > child; wait");
  program.timeout = 0.3;
  const ProgramResult result = base::run_program(program);
  EXPECT_EQ(result.end, ProcessEnd::timed_out);
  EXPECT_EQ(base::end_text(program, result), "took longer than 300.0 ms");
  ASSERT_GT(number_in("child"), 0);
  EXPECT_TRUE(support::gone(number_in("child"))) << "its children go, too";
}

TEST_F(Programs, AreKilledWhenTheyDoNotListen) {
  Program program = shell("trap '' TERM; echo $$ > self; while :; do sleep 0.05; done");
  program.timeout = 0.3;
  program.grace = 0.1;
  EXPECT_EQ(base::run_program(program).end, ProcessEnd::timed_out);
  EXPECT_TRUE(support::gone(number_in("self")));
}

TEST_F(Programs, ThatLeaveChildrenBehindHoldNobodyUp) {
  const ProgramResult result = base::run_program(shell("sleep 1000 & echo $! > child; echo done"));
  EXPECT_EQ(result.end, ProcessEnd::exited);
  EXPECT_EQ(result.output, "done\n");
  EXPECT_TRUE(support::gone(number_in("child")));
}

TEST_F(Programs, ThatPrintForEverAreStopped) {
  Program program = shell("while :; do echo yes yes yes yes; done");
  program.most = 10000;
  const ProgramResult result = base::run_program(program);
  EXPECT_EQ(result.end, ProcessEnd::flooded);
  EXPECT_EQ(result.output.size(), 10000U);
  EXPECT_EQ(base::end_text(program, result), "printed more than 9.8 KiB");
}

TEST_F(Programs, TellOfTheirErrorsTheEnd) {
  const ProgramResult result = base::run_program(
      shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i + 1)); done; kill -9 $$"));
  EXPECT_EQ(result.end, ProcessEnd::killed);
  EXPECT_EQ(result.status, SIGKILL);
  EXPECT_EQ(result.errors.size(), base::kErrorBytes);
  EXPECT_TRUE(result.errors.ends_with("line 2999\n"));
}

TEST_F(Programs, StopOnRequest) {
  std::stop_source stop;
  Program program = shell("echo ready > started; sleep 1000");
  std::jthread asker([&] {
    while (!std::filesystem::exists(folder_ / "started"))
      base::sleep_for(std::chrono::milliseconds(2));
    stop.request_stop();
  });
  EXPECT_EQ(base::run_program(program, stop.get_token()).end, ProcessEnd::stopped);
}

TEST_F(Programs, ThatAreNotThereAreAnError) {
  for (const char* word : {"no-such-program-at-all", "./none", ""}) {
    try {
      (void)base::run_program({.command = {word}, .folder = folder_.path().string()});
      FAIL() << word;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::study);
    }
  }
#if !defined(__SANITIZE_THREAD__)  // which makes a fork of vfork: its child can say nothing
  Program lost = shell("true");
  lost.folder = (folder_ / "none").string();
  EXPECT_THROW((void)base::run_program(lost), base::Error);
#endif
}

}  // namespace
