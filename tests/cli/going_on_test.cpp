// Going on without a GPU that failed.

#include "cli/going_on.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace cli {
namespace {

TEST(GoingOn, NamesTheGpusThatAreLeft) {
  EXPECT_EQ(gpus_without({}, {.gpu = 1, .gpus = 4, .why = ""}), "0,2,3");
  EXPECT_EQ(gpus_without({}, {.gpu = 0, .gpus = 2, .why = ""}), "1");
  EXPECT_EQ(gpus_without("3,GPU-8932f937,5", {.gpu = 1, .gpus = 3, .why = ""}), "3,5");
  EXPECT_EQ(gpus_without("7", {.gpu = 0, .gpus = 1, .why = ""}), "");
}

TEST(GoingOn, TheLastGpuIsNotLeft) {
  go_on_without({.gpu = 0, .gpus = 1, .why = "CUDA: unspecified launch failure"});
  SUCCEED() << "it returned";
}

/// In the program that was put in place: whether it may use what the one before could.
int fault_of_the_new_program(const std::string& shown) {
  cpu_set_t cores;
  sigset_t held;
  if (shown != "2,7") return 1;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 2;
  if (CPU_COUNT(&cores) != std::atoi(std::getenv("CORES_BEFORE"))) return 3;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &held);
  if (::sigismember(&held, SIGINT) != 0) return 4;
  return std::getenv("SET_LATER") != nullptr ? 5 : 0;
}

[[noreturn]] void lose_a_gpu() {
  const char* shown = std::getenv("CUDA_VISIBLE_DEVICES");
  if (shown != nullptr && std::string(shown) != "2,4,7") ::_exit(fault_of_the_new_program(shown));
  // As a worker's thread does, whose core and signals are its own.
  ::setenv("SET_LATER", "1", 1);
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    go_on_without({.gpu = 1, .gpus = 3, .why = "CUDA: unspecified launch failure"});
  }).join();
  ::_exit(9);
}

TEST(GoingOn, RunsTheSameCommandWithoutTheGpu) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (std::getenv("CORES_BEFORE") == nullptr) {  // else it is the new program
    cpu_set_t cores;
    ASSERT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
    ::setenv("CORES_BEFORE", std::to_string(CPU_COUNT(&cores)).c_str(), 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "2,4,7", 1);
  }
  EXPECT_EXIT(lose_a_gpu(), testing::ExitedWithCode(0),
              "gpu 1: CUDA: unspecified launch failure; continuing without it, with "
              "CUDA_VISIBLE_DEVICES=2,7");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("CORES_BEFORE");
}

}  // namespace
}  // namespace cli
