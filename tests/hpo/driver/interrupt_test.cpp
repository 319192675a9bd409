// One request to stop may come as several signals; a later one ends the process.

#include "hpo/driver/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace hpo {

namespace {

TEST(Interrupts, SignalsThatComeTogetherAreOneRequest) {
  const Interrupts interrupts;
  for (int i = 0; i < 3; ++i) ::raise(SIGTERM);
  EXPECT_EQ(*interrupts.asked(), 1);
}

TEST(InterruptsDeathTest, ALaterSignalEndsTheProcess) {
  const auto twice = [] {
    const Interrupts interrupts;
    ::raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ::raise(SIGTERM);
    ::_exit(0);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(75), "");
}

}  // namespace

}  // namespace hpo
