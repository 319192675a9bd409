// What the runtime makes of GPUs, of those that share one, and of a user's own variables: over CUDA
// without a device (tests/support/pretended_cuda.cpp).

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"

namespace {

class Workers : public testing::Test {
 protected:
  ~Workers() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }
  void say(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  struct Made {
    int gpus, workers;
    std::vector<int> gpu_of;
  };
  /// Of a runtime that is asked for so many workers a GPU.
  static Made made(int asked) {
    const rt::Runtime runtime(
        {.workers = 1, .executor = rt::Executor::starpu_cuda, .workers_per_gpu = asked});
    Made made{runtime.gpus(), runtime.gpu_workers(), {}};
    for (const rt::WorkerSummary& worker : runtime.summary().workers) {
      if (worker.id.kind == rt::Device::cuda)
        made.gpu_of.push_back(worker.gpu);
      else
        EXPECT_EQ(worker.gpu, -1);
    }
    return made;
  }

  /// Bytes of a GPU that a task can have there, to 1/8 MiB.
  static double largest_task() {
    const rt::Runtime runtime({.workers = 1, .executor = rt::Executor::starpu_cuda});
    std::uint64_t fits = 0;
    for (std::uint64_t step = std::uint64_t{64} << 20; step >= 1 << 17; step /= 2)
      if (runs(fits + step)) fits += step;
    return static_cast<double>(fits);
  }

 private:
  static bool runs(std::uint64_t bytes) {
    static const auto hold = rt::task("hold", 1)
                                 .cuda([](rt::Context&, std::uint64_t) { return 1; })
                                 .needs({.gpus = 1})
                                 .work([](std::uint64_t held) { return rt::Work{.memory = held}; });
    try {
      return hold(bytes).get() == 1;
    } catch (const base::Error&) {
      return false;
    }
  }
  std::vector<std::string> set_;
};

TEST_F(Workers, AreThoseThatTheUserAskedStarPUFor) {
  const Made alone = made(1);
  EXPECT_EQ(alone.gpus, 1);
  EXPECT_EQ(alone.gpu_of, std::vector<int>{0});
  say("STARPU_NWORKER_PER_CUDA", "3");
  const Made shared = made(1);
  EXPECT_EQ(shared.gpus, 1);
  EXPECT_EQ(shared.workers, 3);
  EXPECT_EQ(shared.gpu_of, std::vector<int>(3, 0));
  EXPECT_EQ(made(16).workers, 3);
}

TEST_F(Workers, MayEachFillTheirPartOfTheMemory) {
  constexpr double kMega = 1 << 20;
  say("STARPU_LIMIT_CUDA_MEM", "30");
  EXPECT_NEAR(largest_task(), 30 * kMega, kMega);
  say("STARPU_NWORKER_PER_CUDA", "3");
  EXPECT_NEAR(largest_task(), 10 * kMega, kMega);
}

TEST_F(Workers, KnowTheirGpu) {
  say("PRETENDED_GPUS", "2");
  say("STARPU_NWORKER_PER_CUDA", "2");
  const Made two = made(1);
  EXPECT_EQ(two.gpus, 2);
  EXPECT_EQ(two.workers, 4);
  EXPECT_EQ(two.gpu_of, (std::vector<int>{0, 0, 1, 1}));
}

TEST_F(Workers, OneThreadADeviceStaysTheUsersChoice) {
  say("STARPU_NWORKER_PER_CUDA", "2");
  say("STARPU_CUDA_THREAD_PER_DEV", "1");
  EXPECT_EQ(made(1).workers, 2);
}

/// What the program hears of a GPU that failed.
rt::GpuFailure heard;
void hear(const rt::GpuFailure& failure) { heard = failure; }

/// Tasks for both GPUs at once, until one of them finds a fault.
void run_on_both(rt::OnGpuFailure told, bool in_the_body) {
  using Table = rt::Matrix<float>;
  static const auto fill = rt::task("fill", 1)
                               .cuda([](rt::Context& context, rt::inout<Table>, bool faults) {
                                 base::sleep_for(std::chrono::milliseconds(20));
                                 if (!faults || context.worker().index != 1) return;
                                 rt::report_gpu_failure("CUDA: unspecified launch failure");
                                 throw base::Error(base::Errc::no_device, "gone");
                               })
                               .needs({.gpus = 1});
  const rt::Runtime runtime(
      {.workers = 1, .executor = rt::Executor::starpu_cuda, .gpu_failed = told});
  std::vector<rt::Value<Table>> tables;
  for (int i = 0; i < 8; ++i) tables.push_back(rt::value(Table(8, 8)));
  for (auto& table : tables) fill(table, in_the_body);
  for (auto& table : tables) (void)table.get();
}

TEST_F(Workers, AGpuThatFailsInABodyIsNamed) {
  say("PRETENDED_GPUS", "2");
  heard = {};
  EXPECT_THROW(run_on_both(hear, true), base::Error);
  EXPECT_EQ(heard.gpu, 1);
  EXPECT_EQ(heard.gpus, 2);
  EXPECT_EQ(heard.why, "CUDA: unspecified launch failure");
}

TEST_F(Workers, AGpuThatFailsStarPUIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  say("PRETENDED_GPUS", "2");
  say("PRETENDED_FAULT", "1");
  constexpr auto kTold = [](const rt::GpuFailure& failure) {
    std::cerr << "gpu " << failure.gpu << " of " << failure.gpus << ": " << failure.why
              << std::endl;
    std::_Exit(3);
  };
  EXPECT_EXIT(run_on_both(kTold, false), testing::ExitedWithCode(3),
              "gpu 1 of 2: CUDA: pretended \\(in .* of StarPU\\)");
  EXPECT_EXIT(run_on_both(nullptr, false), testing::ExitedWithCode(6),
              "this process can no longer use the device; run the same command again to continue");
}

TEST_F(Workers, AWordThatIsNoNumberOfThemIsRefused) {
  for (const char* word : {"0", "-1", "many", "1000"}) {
    say("STARPU_NWORKER_PER_CUDA", word);
    try {
      (void)made(1);
      FAIL() << word << " was not refused";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::usage);
      EXPECT_EQ(std::string(error.what()),
                base::cat("STARPU_NWORKER_PER_CUDA: \"", word,
                          "\", expected a number of workers from 1 to 64"));
    }
  }
}

}  // namespace
