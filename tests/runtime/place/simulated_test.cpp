// Tasks on simulated machines (StarPU's SimGrid flavour): time, kinds, memory, and whether a device
// is ever idle while there is something for it. Skips where the flavour was not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>

#include "base/random.h"
#include "base/text.h"
#include "runtime/matrix.h"
#include "runtime/place/simulation.h"
#include "runtime/runtime.h"
#include "tests/runtime/place/runs.h"
#include "tests/support/child.h"

namespace {

constexpr std::uint64_t kMega = 1 << 20;

rt::Platform platform(int cores, int gpus) {
  return {.name = "test",
          .cpu = {.count = cores,
                  .peak = 1e9,
                  .half = 1,
                  .launch = 0,
                  .bandwidth = 1e9,
                  .memory = 1'000'000'000},
          .gpu = {.count = gpus,
                  .peak = 1e10,
                  .half = 1,
                  .launch = 0,
                  .bandwidth = 1e10,
                  .memory = 8 * kMega,
                  .link = 1e8,
                  .latency = 1e-4}};
}

/// Counts on; takes so many FLOPs and holds so many bytes.
const auto& count_task() {
  static const auto task =
      rt::task("count", 1)
          .cpu([](rt::in<int> x, double, std::uint64_t) { return *x + 1; })
          .simulated([](rt::in<int> x, double, std::uint64_t) { return *x + 1; })
          .work([](rt::in<int>, double flops, std::uint64_t memory) {
            return rt::Work{.flops = flops, .memory = memory};
          });
  return task;
}

struct Machine {
  std::shared_ptr<rt::Simulation> simulation = std::make_shared<rt::Simulation>();
  std::unique_ptr<rt::Runtime> runtime;

  explicit Machine(const rt::Platform& of, const std::string& scheduler = "prio",
                   bool any_kind = false) {
    simulation->platform = of;
    simulation->scheduler = scheduler;
    simulation->any_kind = any_kind;
    runtime = std::make_unique<rt::Runtime>(
        rt::Config{.executor = rt::Executor::simulated, .simulation = simulation});
  }
};

/// Whether the flavour is there; where it is not, why.
const std::string& missing() {
  static const std::string kWhy = support::in_child([]() -> std::string {
    try {
      const Machine machine(platform(1, 0));
      rt::wait_all();
      return "";
    } catch (const base::Error& error) {
      return error.what();
    }
  });
  return kWhy;
}

class Simulated : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!support::kFollowsSimGrid) GTEST_SKIP() << "not under a sanitizer";
    if (missing().starts_with("executor starpu-simgrid:")) GTEST_SKIP() << missing();
    ASSERT_EQ(missing(), "");
  }
};

using simulated_runs::check;
using simulated_runs::Runs;

/// Draws a matrix, or goes on with one; works in so many bytes more.
const auto& matrix_task() {
  static const auto task =
      rt::task("matrix", 1)
          .cpu(
              [](rt::inout<rt::Matrix<float>>, rt::in<rt::Matrix<float>>, double, std::uint64_t) {})
          .simulated(
              [](rt::inout<rt::Matrix<float>>, rt::in<rt::Matrix<float>>, double, std::uint64_t) {})
          .work([](rt::inout<rt::Matrix<float>>, rt::in<rt::Matrix<float>>, double flops,
                   std::uint64_t memory) { return rt::Work{.flops = flops, .memory = memory}; });
  return task;
}

rt::Value<rt::Matrix<float>> matrix(std::uint64_t bytes) {
  return rt::value(rt::Matrix<float>(1, bytes / sizeof(float)));
}

/// A study as the runtime sees it: chains of tasks on one kind or the other, which may change
/// within a chain, each on a network of its own and on data that all share. Together they are far
/// larger than a GPU, one alone fits just so.
void call_study(base::Stream& luck, std::uint64_t memory) {
  const std::uint64_t trials = 1 + luck.below(6);
  const rt::Value<rt::Matrix<float>> data = matrix(luck.below(memory / 4) + 4);
  std::vector<rt::Value<rt::Matrix<float>>> networks;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    networks.push_back(matrix(luck.below(memory / 2) + 4));
    for (std::uint64_t step = 1 + luck.below(3); step > 0; --step) {
      const rt::On device(luck.below(2) == 0 ? rt::Device::cpu : rt::Device::cuda);
      matrix_task()(networks.back(), data, 1e5 * static_cast<double>(1 + luck.below(1000)),
                    luck.below(memory / 4));
    }
  }
  rt::wait_all();
}

/// Threads of the system in this process.
std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_F(Simulated, AMachineRunsOnOneThreadOfTheSystem) {
  const std::string said = support::in_child([]() -> std::string {
    const rt::Config config{.executor = rt::Executor::simulated,
                            .simulation = std::make_shared<rt::Simulation>()};
    config.simulation->platform = platform(12, 2);
    int sum = 0;
    std::ptrdiff_t most = 0;
    rt::run_within(config, [&] {
      const rt::Runtime runtime(config);
      std::vector<rt::Value<int>> values;
      for (int i = 0; i < 40; ++i) {
        values.push_back(rt::value(i));
        values.back() = count_task()(count_task()(values.back(), 1e9, 0), 1e9, 0);
      }
      for (const rt::Value<int>& value : values) sum += value.get();
      most = threads();
    });
    if (sum != 40 * 39 / 2 + 80) return base::cat("40 chains gave ", sum);
    return most == 1 ? "" : base::cat(most, " threads");
  });
  EXPECT_EQ(said, "");
}

TEST_F(Simulated, WhatAJobWithinThrowsComesOut) {
  const std::string said = support::in_child([]() -> std::string {
    const rt::Config config{.executor = rt::Executor::simulated,
                            .simulation = std::make_shared<rt::Simulation>()};
    config.simulation->platform = platform(2, 0);
    try {
      rt::run_within(config, [&] {
        const rt::Runtime runtime(config);
        throw base::Error(base::Errc::data, "not so");
      });
    } catch (const base::Error& error) {
      return error.kind() == base::Errc::data ? "" : error.what();
    }
    return "it threw nothing";
  });
  EXPECT_EQ(said, "");
}

TEST_F(Simulated, TimeIsWhatWasCounted) {
  const std::string said = support::in_child([]() -> std::string {
    Machine machine(platform(2, 1));
    rt::Value<int> value = rt::value(0);
    value = count_task()(value, 2e9, 0);
    {
      const rt::On gpu(rt::Device::cuda);
      value = count_task()(value, 1e10, 0);
    }
    const base::Moment begun = base::now();
    const int counted = value.get();
    const double passed = base::seconds_since(begun);
    if (counted != 2) return "the bodies did not run";
    return std::abs(passed - 3.0) < 1e-3 ? "" : "it took " + std::to_string(passed);
  });
  EXPECT_EQ(said, "");
}

TEST_F(Simulated, NoDeviceIsIdleBesideReadyTasksIn200RandomStudies) {
  for (int machine = 0; machine < 4; ++machine) {
    const std::string said = support::in_child([machine]() -> std::string {
      rt::Platform of = platform(1 + machine, 1 + machine / 2);
      of.gpu.memory = 2 * kMega;
      Machine simulated(of);
      base::Stream luck(static_cast<std::uint64_t>(machine), "studies", 0);
      Runs& runs = simulated.simulation->runs;
      for (int study = 0; study < 50; ++study) {
        runs.clear();
        call_study(luck, of.gpu.memory);
        if (std::string wrong = check(runs, of); !wrong.empty())
          return "study " + std::to_string(study) + ": " + wrong;
      }
      return "";
    });
    EXPECT_EQ(said, "") << "machine " << machine;
  }
}

TEST_F(Simulated, ADeviceThatIsIdleBesideATaskIsFound) {
  const std::string said = support::in_child([]() -> std::string {
    const rt::Platform of = platform(4, 2);
    Machine simulated(of, "random");
    base::Stream luck(0, "studies", 0);
    for (int study = 0; study < 10; ++study) {
      simulated.simulation->runs.clear();
      call_study(luck, of.gpu.memory);
      if (!check(simulated.simulation->runs, of).empty()) return "found";
    }
    return "a policy that deals tasks out at random passed";
  });
  EXPECT_EQ(said, "found");
}

TEST_F(Simulated, WhatNoDeviceHoldsIsRefusedWithBothSizes) {
  const std::string said = support::in_child([]() -> std::string {
    const Machine machine(platform(1, 1));
    const rt::On gpu(rt::Device::cuda);
    rt::Value<int> zero = rt::value(0);
    const rt::Value<int> value = count_task()(zero, 1e6, 9 * kMega);
    try {
      (void)value.get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "ran";
  });
  EXPECT_EQ(said, "task 'count' needs 9.0 MiB of its device's memory, one has 8.0 MiB");
}

TEST_F(Simulated, BuffersAndScratchShareADevicesMemory) {
  const std::string said = support::in_child([]() -> std::string {
    Machine machine(platform(1, 1));
    const rt::On gpu(rt::Device::cuda);
    rt::Value<rt::Matrix<float>> first = matrix(5 * kMega), second = matrix(5 * kMega),
                                 data = matrix(4);
    matrix_task()(first, data, 1e6, 0);
    matrix_task()(second, data, 1e6, 2 * kMega);  // no room for both matrices
    rt::wait_all();
    const Runs& runs = machine.simulation->runs;
    if (runs.size() != 2) return "not all ran";
    if (runs[0].resident / kMega != 5 || runs[1].resident / kMega != 7)
      return std::to_string(runs[0].resident) + " and " + std::to_string(runs[1].resident);
    matrix_task()(second, data, 1e6, 4 * kMega);
    try {
      rt::wait_all();
      second.get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "more than there is was let in";
  });
  EXPECT_EQ(said, "task 'matrix' needs 9.0 MiB of its device's memory, one has 8.0 MiB");
}

/// Reads a matrix that may stay in main memory; works in so many bytes more then.
const auto& streaming_task() {
  static const auto task =
      rt::task("stream", 1)
          .cpu([](rt::inout<rt::Matrix<float>>, rt::in<rt::Matrix<float>>, std::uint64_t) {})
          .simulated([](rt::Context& context, rt::inout<rt::Matrix<float>>,
                        rt::in<rt::Matrix<float>> data, std::uint64_t) {
            if (context.streams() != (data->bytes().size() > 6 * kMega))
              throw std::runtime_error("does not know what stayed");
          })
          .work([](rt::inout<rt::Matrix<float>>, rt::in<rt::Matrix<float>> data,
                   std::uint64_t memory) {
            return rt::Work{
                .flops = 1e6,
                .streaming = rt::Streaming{
                    .parameter = 1, .memory = memory, .bytes = double(data->bytes().size())}};
          });
  return task;
}

TEST_F(Simulated, ALargeInputStaysInMainMemoryAndStreamsIn) {
  const std::string said = support::in_child([]() -> std::string {
    Machine machine(platform(1, 1));
    const rt::On gpu(rt::Device::cuda);
    rt::Value<rt::Matrix<float>> net = matrix(2 * kMega), small = matrix(kMega),
                                 large = matrix(20 * kMega);
    streaming_task()(net, small, kMega);
    streaming_task()(net, large, kMega);
    rt::wait_all();
    const Runs& runs = machine.simulation->runs;
    if (runs.size() != 2) return "not all ran";
    if (runs[0].memory != 3 * kMega || runs[1].memory != 3 * kMega || runs[1].resident > 4 * kMega)
      return std::to_string(runs[1].memory) + " of " + std::to_string(runs[1].resident);
    // 20 MiB at 1e8 bytes a second, where 1e6 FLOPs take a tenth of a millisecond.
    if (std::abs(runs[1].ended - runs[1].begun - 0.21) > 0.01)
      return std::to_string(runs[1].ended - runs[1].begun) + " s";
    streaming_task()(net, large, 7 * kMega);
    try {
      rt::wait_all();
      net.get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "more than there is was let in";
  });
  EXPECT_EQ(said, "task 'stream' needs 22.0 MiB of its device's memory, one has 8.0 MiB");
}

TEST_F(Simulated, WhatOneDeviceDoesNotHoldGoesToALargerOne) {
  const std::string said = support::in_child([]() -> std::string {
    ::setenv("STARPU_LIMIT_CUDA_1_MEM", "6", 1);
    ::setenv("STARPU_LIMIT_CUDA_0_MEM", "2", 1);
    Machine machine(platform(1, 2));
    const rt::On gpu(rt::Device::cuda);
    rt::Value<int> zero = rt::value(0);
    for (int i = 0; i < 6; ++i) (void)count_task()(zero, 1e6, (i % 2 == 0 ? 1 : 4) * kMega);
    rt::wait_all();
    std::string large;
    for (const rt::SimulatedRun& run : machine.simulation->runs)
      if (run.memory > 2 * kMega) large += std::to_string(run.worker.index);
    return large;
  });
  EXPECT_EQ(said, "111");
}

TEST_F(Simulated, WhyADeviceIsIdleIsTold) {
  const std::string said = support::in_child([]() -> std::string {
    Machine machine(platform(1, 1));
    machine.runtime->set_window(3);
    rt::Value<int> zero = rt::value(0);
    {
      const rt::On gpu(rt::Device::cuda);
      for (int i = 0; i < 3; ++i) (void)count_task()(zero, 1e10, 0);
    }
    rt::wait_all();
    const auto whole = [](double seconds) { return std::to_string(std::lround(seconds)); };
    std::string text;
    for (const rt::WorkerSummary& worker : machine.runtime->summary().workers) {
      text += "busy " + whole(worker.busy);
      for (std::size_t i = 0; i < rt::kIdleCauses; ++i) {
        const auto cause = static_cast<rt::IdleCause>(i);
        if (worker.idle[i] > 0.1)
          text += std::string(", ") + rt::idle_cause_name(cause) + ' ' + whole(worker.idle[i]);
      }
      text += "; ";
    }
    return text;
  });
  EXPECT_EQ(said, "busy 0, other kind 2, waits 1; busy 3; ");
}

TEST_F(Simulated, LimitsOfARuntimeAreGoneWithIt) {
  const std::string said = support::in_child([]() -> std::string {
    ::setenv("STARPU_LIMIT_CUDA_1_MEM", "6", 1);
    rt::Platform of = platform(1, 2);
    of.gpu.memory = kMega / 2;
    std::string text;
    const auto add = [&text](const char* name) {
      const char* value = std::getenv(name);
      text += std::string(value != nullptr ? value : "none") + ' ';
    };
    {
      const Machine machine(of);
      for (const char* name : {"STARPU_LIMIT_CUDA_0_MEM", "STARPU_LIMIT_CUDA_1_MEM"}) add(name);
    }
    for (const char* name : {"STARPU_LIMIT_CUDA_0_MEM", "STARPU_LIMIT_CUDA_1_MEM"}) add(name);
    return text;
  });
  EXPECT_EQ(said, "1 6 none 6 ") << "at least 1 MiB: with 0 nothing would be counted";
}

TEST(SimulatedMemory, ADeviceThatHoldsTooMuchIsFound) {
  const rt::Platform of = platform(1, 1);
  rt::SimulatedRun run{.worker = {0, rt::Device::cuda, 0},
                       .task = "matrix",
                       .kind = rt::Device::cuda,
                       .ended = 1,
                       .resident = of.gpu.memory};
  EXPECT_EQ(check({run}, of), "");
  ++run.resident;
  EXPECT_EQ(check({run}, of), "a GPU of 8388608 bytes held 8388609");
}

TEST_F(Simulated, ThePolicyMayChooseTheKindForComparison) {
  const std::string said = support::in_child([]() -> std::string {
    Machine machine(platform(1, 1), "dmda", /*any_kind=*/true);
    std::vector<rt::Value<int>> values;
    rt::Value<int> zero = rt::value(0);
    for (int i = 0; i < 11; ++i) values.push_back(count_task()(zero, 1e9, 0));
    rt::wait_all();
    const auto on_gpu = std::ranges::count_if(machine.simulation->runs, [](const auto& run) {
      return run.worker.kind == rt::Device::cuda;
    });
    return on_gpu == 10 ? ""
                        : std::to_string(on_gpu) + " of 11 on the GPU that is ten times as fast";
  });
  EXPECT_EQ(said, "");
}

}  // namespace
