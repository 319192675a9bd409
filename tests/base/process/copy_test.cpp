#include "base/process/copy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <span>
#include <string>

#include "base/new_file.h"
#include "base/pipe.h"
#include "base/text.h"
#include "tests/base/process/gone.h"
#include "tests/support/temp_folder.h"

namespace {

void say(const base::File& out, const std::string& text) {
  (void)base::write_all(out.fd(), std::as_bytes(std::span(text)));
}

TEST(Copy, SaysWhatItIsToAndEnds) {
  const std::string text(300000, 'x');  // more than a pipe holds
  const base::CopyResult copy = base::run_copy([&](const base::File& out) { say(out, text); });
  EXPECT_EQ(copy.said, text);
  EXPECT_EQ(copy.outcome.end, base::ProcessEnd::exited);
  EXPECT_EQ(copy.outcome.status, 0);
}

TEST(Copy, SaysHowItEnded) {
  const base::CopyResult killed = base::run_copy([](const base::File&) { ::raise(SIGKILL); });
  EXPECT_EQ(killed.outcome.end, base::ProcessEnd::killed);
  EXPECT_EQ(killed.outcome.status, SIGKILL);
  EXPECT_EQ(killed.said, "");
  EXPECT_EQ(base::run_copy([](const base::File&) { ::_exit(3); }).outcome.status, 3);
}

TEST(Copy, RunsBesideOthersAndIsStoppedByASignal) {
  base::Pipe listening = base::open_pipe();
  base::Copy one([&](const base::File& out) {
    static volatile std::sig_atomic_t asked = 0;
    std::signal(SIGTERM, [](int) { asked = 1; });
    say(listening.write, "x");
    while (asked == 0) base::sleep_for(std::chrono::milliseconds(1));
    say(out, "asked");
  });
  base::Copy two([](const base::File& out) { say(out, "two"); });
  EXPECT_EQ(two.wait().said, "two");
  std::byte one_byte{};
  ASSERT_EQ(base::read_into(listening.read.fd(), {&one_byte, 1}).bytes, 1U);
  one.signal(SIGTERM);
  const base::CopyResult asked = one.wait();
  EXPECT_EQ(asked.said, "asked");
  EXPECT_EQ(asked.outcome.end, base::ProcessEnd::exited);
}

TEST(Copy, ThatNobodyWaitsForIsKilled) {
  base::Pipe held = base::open_pipe();
  {
    const base::Copy endless([&](const base::File&) {
      while (true) ::pause();
    });
    (void)held.write.close();
  }
  EXPECT_EQ(base::read_all(held.read.fd()), "") << "the pipe ends with its last process";
}

TEST(Copy, ThatIsLeftIsOnItsOwn) {
  const support::TempFolder folder;
  const std::string end = folder / "end";
  const std::string said = base::leave_copy([&](base::File out) {
    const pid_t self = ::getpid();
    std::string text = base::cat(self, ::getsid(0) == self ? " alone" : " in our session");
    for (const int fd : {0, 1, 2})
      text += " " + std::filesystem::read_symlink(base::cat("/proc/self/fd/", fd)).string();
    say(out, text);
    (void)out.close();
    while (!std::filesystem::exists(end)) base::sleep_for(std::chrono::milliseconds(5));
  });
  const int process = std::stoi(said);
  EXPECT_EQ(said, base::cat(process, " alone /dev/null /dev/null /dev/null"));
  EXPECT_EQ(::kill(process, 0), 0) << "it lives on";
  EXPECT_EQ(::waitpid(process, nullptr, WNOHANG), -1) << "it is no child of ours";
  (void)base::File(::open(end.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_TRUE(support::gone(process));
}

}  // namespace
