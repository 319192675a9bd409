// A process that ends with the one that started it.
#include "base/process/attachment.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "base/clock.h"
#include "base/pipe.h"

namespace {

constexpr int kLost = 7, kFreed = 8;

/// What a child does: it ends with kLost once it is told that its parent is dead.
[[noreturn]] void be_attached(bool by_input, const base::Pipe& told) {
  const base::Attachment attachment(by_input, [&](const std::stop_token&) {
    const char word = 'l';
    (void)!::write(told.write.fd(), &word, 1);
    ::_exit(kLost);
  });
  const char word = 'r';
  (void)!::write(told.write.fd(), &word, 1);
  ::sleep(60);
  ::_exit(0);
}

char heard(const base::Pipe& told) {
  char word = 0;
  return ::read(told.read.fd(), &word, 1) == 1 ? word : '?';
}

TEST(Attachment, EndsWithStandardInput) {
  const base::Pipe told = base::open_pipe();
  base::Pipe input = base::open_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input.read.fd(), STDIN_FILENO);
    (void)input.write.close();
    be_attached(true, told);
  }
  ASSERT_EQ(heard(told), 'r');
  ASSERT_EQ(::write(input.write.fd(), "more", 4), 4);  // is dropped
  base::sleep_for(std::chrono::milliseconds(200));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it ended although the pipe is open";
  (void)input.write.close();
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), kLost);
}

TEST(Attachment, EndsWithItsParentWhateverBecomesOfTheInput) {
  const base::Pipe told = base::open_pipe();
  const base::Pipe input = base::open_pipe();  // this process keeps it open
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() == 0) {
      ::dup2(input.read.fd(), STDIN_FILENO);
      be_attached(true, told);
    }
    ::pause();
  }
  ASSERT_EQ(heard(told), 'r');
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_EQ(heard(told), 'l');
}

TEST(Attachment, IsNothingOnceItIsOver) {
  const base::Pipe told = base::open_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    base::Pipe input = base::open_pipe();
    ::dup2(input.read.fd(), STDIN_FILENO);
    {
      const base::Attachment attachment(true, [](const std::stop_token&) { ::_exit(kLost); });
    }
    (void)input.write.close();
    base::sleep_for(std::chrono::milliseconds(200));
    ::_exit(kFreed);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), kFreed);
}

TEST(Attachment, TheSystemSendsASignalWhenTheParentDies) {
  base::Pipe told = base::open_pipe();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t own = ::getpid();
    if (::fork() == 0) {
      base::die_with_parent(SIGKILL, own);
      const char word = 'r';
      (void)!::write(told.write.fd(), &word, 1);
      ::pause();  // nothing in it notices anything
    }
    ::pause();
  }
  ASSERT_EQ(heard(told), 'r');
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  (void)told.write.close();  // the pipe ends when nobody else has it any more
  EXPECT_EQ(heard(told), '?');
}

TEST(Attachment, AParentThatDiedBeforeIsNoticedAtOnce) {
  base::Pipe told = base::open_pipe();
  base::Pipe ended = base::open_pipe();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t own = ::getpid();
    if (::fork() == 0) {
      char word = 0;
      (void)ended.write.close();
      (void)!::read(ended.read.fd(), &word, 1);  // until the parent is gone
      while (::getppid() == own) ::usleep(1000);
      base::die_with_parent(SIGKILL, own);
      (void)!::write(told.write.fd(), "r", 1);
    }
    ::_exit(0);
  }
  (void)ended.write.close();
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  (void)told.write.close();
  EXPECT_EQ(heard(told), '?') << "it went on without its parent";
}

TEST(Attachment, ThisProgramHasTheParentThatItWasStartedBy) {
  EXPECT_EQ(base::first_parent(), ::getppid());
}

}  // namespace
