// What a process that was started is given, and what it is not.

#include "base/process/start.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include "base/executable.h"
#include "base/pipe.h"
#include "base/process/child.h"
#include "base/process/no_more.h"
#include "base/text.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace {

base::ProcessStart shell(const std::string& script) {
  return {
      .path = "/bin/sh", .words = {"sh", "-c", script}, .environment = base::environment_with({})};
}

/// What a process prints.
std::string printed(const base::ProcessStart& start) {
  base::Spawned child = base::spawn(start, {.output = true});
  base::ChildSupervision run(child.process, start.group);
  std::string text;
  run.read(child.output.fd(), [&](std::string_view piece) { text += piece; });
  run.serve();
  EXPECT_EQ(run.finish().status, 0);
  return text;
}

std::string link_of(int fd) {
  return std::filesystem::read_symlink(base::cat("/proc/self/fd/", fd)).string();
}

TEST(Start, GivesThePipesThatAreAskedForAndOurStreams) {
  base::Spawned child = base::spawn(shell("read word; echo $word; readlink /proc/self/fd/2"),
                                    {.input = true, .output = true});
  EXPECT_FALSE(child.errors);
  ASSERT_EQ(::write(child.input.fd(), "hello\n", 6), 6);
  base::ChildSupervision run(child.process);
  std::string text;
  run.read(child.output.fd(), [&](std::string_view piece) { text += piece; });
  run.serve();
  EXPECT_EQ(run.finish().status, 0);
  EXPECT_EQ(text, base::cat("hello\n", link_of(STDERR_FILENO), "\n"));
}

TEST(Start, OpensNothingElse) {
  const base::File kept(::open("/dev/null", O_RDONLY));  // not closed by exec
  EXPECT_EQ(printed(shell("ls /proc/self/fd | wc -l")), "4\n") << "three, and the folder";
}

TEST(Start, PlacesFilesWhereOthersLie) {
  const support::TempFolder folder;
  std::vector<base::File> files;
  for (const char* name : {"a", "b"}) {
    files.emplace_back(::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::write(files.back().fd(), name, 1), 1);
    ASSERT_EQ(::lseek(files.back().fd(), 0, SEEK_SET), 0);
    ASSERT_LT(files.back().fd(), 10) << "a shell names files by one digit";
  }
  base::Pipe pipe = base::open_pipe();
  std::vector<int> places(10, STDIN_FILENO);
  places[STDOUT_FILENO] = pipe.write.fd();
  places[static_cast<std::size_t>(files[0].fd())] = files[1].fd();
  places[static_cast<std::size_t>(files[1].fd())] = files[0].fd();
  const std::string script = base::cat("cat <&", files[0].fd(), "; cat <&", files[1].fd());
  base::ChildSupervision run(base::start_process(shell(script), places));
  pipe.write.close();
  EXPECT_EQ(base::read_all(pipe.read.fd()), "ba");
  run.serve();
  EXPECT_EQ(run.finish().status, 0);
}

TEST(Start, RunsInItsFolderOrInOurs) {
  base::ProcessStart start = shell("pwd -P");
  EXPECT_EQ(printed(start), std::filesystem::current_path().string() + "\n");
  start.folder = "/";
  EXPECT_EQ(printed(start), "/\n");
}

TEST(Start, LeadsAGroupOrIsInOurs) {
  base::ProcessStart start = shell("echo $$ $(cut -d ' ' -f 5 /proc/$$/stat)");
  int process = 0, group = 0;
  std::istringstream(printed(start)) >> process >> group;
  EXPECT_EQ(process, group);
  start.group = base::Group::ours;
  std::istringstream(printed(start)) >> process >> group;
  EXPECT_EQ(group, ::getpgrp());
}

/// Signals of a process: the bits of two lines of its status. No shell, which blocks none.
std::string signals_of(base::Signals signals) {
  return printed({.path = base::find_executable("grep", "/").value(),
                  .words = {"grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"},
                  .signals = signals});
}

TEST(Start, TakesSignalsAsUsualOrAsWeDo) {
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGHUP, SIG_IGN);
  const auto older = ::signal(SIGUSR1, [](int) {});
  const std::string ours = signals_of(base::Signals::ours);
  const std::string usual = signals_of(base::Signals::usual);
  ::signal(SIGUSR1, older);
  ::signal(SIGHUP, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(usual, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  std::istringstream lines(ours);
  std::string name;
  std::uint64_t blocks = 0, ignores = 0;
  lines >> name >> std::hex >> blocks >> name >> ignores;
  EXPECT_NE(blocks & (1U << (SIGUSR2 - 1)), 0);
  EXPECT_NE(ignores & (1U << (SIGHUP - 1)), 0);
  EXPECT_EQ(ignores & (1U << (SIGUSR1 - 1)), 0) << "a handler cannot stay";
}

TEST(Start, LeavesOurSignalsAsTheyWere) {
  sigset_t before, after;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &before);
  EXPECT_EQ(printed(shell("echo up")), "up\n");
  base::ProcessStart none = shell("true");
  none.path = "/nowhere/at/all";
#if !defined(__SANITIZE_THREAD__)  // which makes a fork of vfork: its child can say nothing
  EXPECT_THROW((void)base::spawn(none, {}), base::StartFailure);
#endif
  ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < NSIG; ++signal)
    EXPECT_EQ(::sigismember(&before, signal), ::sigismember(&after, signal)) << signal;
}

TEST(Start, SaysWhyItFailed) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "vfork is a fork here: its child can say nothing";
#endif
  base::ProcessStart start = shell("true");
  start.path = "/nowhere/at/all";
  const auto failure = [&](const std::vector<int>& files) -> std::optional<base::StartFailure> {
    try {
      (void)base::start_process(start, files);
    } catch (const base::StartFailure& thrown) {
      return thrown;
    }
    return {};
  };
  ASSERT_TRUE(failure({0, 1, 2}));
  EXPECT_EQ(failure({0, 1, 2})->code(), ENOENT);
  EXPECT_EQ(failure({0, 1, 2})->kind(), base::Errc::study);
  EXPECT_STREQ(failure({0, 1, 2})->what(), "cannot start sh: No such file or directory");
  start.folder = "/none";
  EXPECT_STREQ(failure({0, 1, 2})->what(), "cannot start sh in /none: No such file or directory");
  start = shell("true");
  ASSERT_TRUE(failure({0, 1, -1}));
  EXPECT_EQ(failure({0, 1, -1})->code(), EBADF);
  ASSERT_TRUE(failure(std::vector<int>(17, 0)));
  EXPECT_EQ(failure(std::vector<int>(17, 0))->code(), EINVAL);
}

TEST(Start, DiesWithTheThreadThatStartedItWhereItIsTo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "vfork is a fork here: the thread can end before its child asks for the signal";
#endif
  for (const int death_signal : {SIGKILL, 0}) {
    base::ProcessStart start = shell("sleep 60; exit 7");
    start.death_signal = death_signal;
    pid_t process = -1;
    std::thread([&] { process = base::spawn(start, {}).process; }).join();
    const std::chrono::milliseconds most(death_signal == 0 ? 300 : 0);
    base::ChildSupervision run(process, base::Group::own, {.time = most});
    run.serve();
    EXPECT_EQ(run.finish().end,
              death_signal == 0 ? base::ProcessEnd::timed_out : base::ProcessEnd::killed);
  }
}

TEST(Start, ChangesTheEnvironment) {
  ::setenv("TRELLIS_TEST_OLD", "1", 1);
  base::ProcessStart start = shell("echo $TRELLIS_TEST_OLD $TRELLIS_TEST_NEW; env | grep -c T_OLD");
  EXPECT_EQ(printed(start), "1\n1\n");
  start.environment = base::environment_with({{"TRELLIS_TEST_OLD", "2"}, {"TRELLIS_TEST_NEW", ""}});
  EXPECT_EQ(printed(start), "2\n1\n");
  ::unsetenv("TRELLIS_TEST_OLD");
}

TEST(Start, MayOpenAsManyFilesAsBeforeTheLimitWasRaised) {
  const std::string said = support::in_child([] {
    const rlimit limit{64, 128};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    base::raise_file_limit();
    base::raise_file_limit();
    base::require_files(100);
    std::string text = printed(shell("ulimit -S -n"));
    try {
      base::require_files(128);
    } catch (const base::NoMore& lack) {
      text += lack.what();
    }
    return text;
  });
  EXPECT_EQ(said,
            "64\ncannot open more files: Too many open files: raise the limit of open files "
            "(ulimit -n)");
}

}  // namespace
