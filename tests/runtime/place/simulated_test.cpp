// Tasks on simulated machines (StarPU's SimGrid flavour): time, kinds, memory, and whether a device
// is ever idle while there is something for it. Skips where the flavour was not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "runtime/base/random.h"
#include "runtime/matrix.h"
#include "runtime/place/simulation.h"
#include "runtime/runtime.h"
#include "tests/support/child.h"

namespace {

constexpr double kTolerance = 1e-5;  // seconds: the steps of StarPU itself

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
                  .memory = 1'000'000,
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
    } catch (const rt::Error& error) {
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

using Runs = std::vector<rt::SimulatedRun>;

/// The first time in which `run` waited though a device of its kind was idle, in words; else empty.
std::string idle_beside(const Runs& runs, const rt::SimulatedRun& run, int devices) {
  std::vector<double> moments{run.ready};
  for (const rt::SimulatedRun& other : runs)
    if (other.ended > run.ready && other.ended < run.taken) moments.push_back(other.ended);
  for (const double moment : moments) {
    if (run.taken - moment < kTolerance) continue;
    const double at = moment + kTolerance;
    const auto busy = std::ranges::count_if(runs, [&](const rt::SimulatedRun& other) {
      return other.worker.kind == run.kind && other.taken <= at && other.ended > at;
    });
    if (busy >= devices) continue;
    std::ostringstream said;
    said << "ready at " << run.ready << ", taken at " << run.taken << ", but at " << at << " only "
         << busy << " of " << devices << " were busy";
    return said.str();
  }
  return "";
}

/// Bytes that the tasks on one GPU held at the beginning of `run`.
std::uint64_t held_with(const Runs& runs, const rt::SimulatedRun& run) {
  std::uint64_t bytes = 0;
  for (const rt::SimulatedRun& other : runs)
    if (other.worker == run.worker && other.begun <= run.begun && other.ended > run.begun)
      bytes += other.memory;
  return bytes;
}

std::string check(const Runs& runs, const rt::Platform& machine) {
  for (const rt::SimulatedRun& run : runs) {
    if (run.worker.kind != run.kind) return "a task ran on another kind than it was for";
    if (std::string idle = idle_beside(runs, run, machine.of(run.kind).count); !idle.empty())
      return idle;
    if (run.kind == rt::Device::cuda && held_with(runs, run) > machine.gpu.memory)
      return "a GPU's memory was over-committed";
  }
  return "";
}

/// A study as the runtime sees it: chains of tasks on one kind or the other, which may change
/// within a chain.
void call_study(rt::Stream& luck, std::uint64_t memory) {
  const std::uint64_t trials = 1 + luck.below(9);
  std::vector<rt::Value<int>> values;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    rt::Value<int> value = rt::value(0);
    for (std::uint64_t step = 1 + luck.below(3); step > 0; --step) {
      const rt::On device(luck.below(2) == 0 ? rt::Device::cpu : rt::Device::cuda);
      value = count_task()(value, 1e6 * static_cast<double>(1 + luck.below(1000)),
                           luck.below(memory + 1));
    }
    values.push_back(value);
  }
  rt::wait_all();
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
    const rt::Moment begun = rt::now();
    const int counted = value.get();
    const double passed = rt::seconds_since(begun);
    if (counted != 2) return "the bodies did not run";
    return std::abs(passed - 3.0) < 1e-3 ? "" : "it took " + std::to_string(passed);
  });
  EXPECT_EQ(said, "");
}

TEST_F(Simulated, NoDeviceIsIdleBesideReadyTasksIn200RandomStudies) {
  for (int machine = 0; machine < 4; ++machine) {
    const std::string said = support::in_child([machine]() -> std::string {
      const rt::Platform of = platform(1 + 3 * machine, 1 + machine);
      Machine simulated(of);
      rt::Stream luck(static_cast<std::uint64_t>(machine), "studies", 0);
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
    rt::Stream luck(0, "studies", 0);
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
    const rt::Value<int> value = count_task()(zero, 1e6, 2'000'000);
    try {
      (void)value.get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "ran";
  });
  EXPECT_EQ(said, "task 'count' needs 1.9 MiB of its device's memory, one has 976.6 KiB");
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
