// Trials that train on a GPU: what a study makes of it. By default on device code that runs on the
// host, one task after the other; with --starpu the same as tasks of StarPU's CUDA driver (over
// tests/support/pretended_cuda.cpp); with --gpu on a CUDA device.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "kernels/device.h"
#include "tasks/device.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

enum class Where { host, starpu, gpu };
Where where = Where::host;
const kern::Device* real = nullptr;

const kern::Device& below() { return where == Where::gpu ? *real : kern::emulated_device(); }

/// Faults that the next products have, and which.
std::atomic<int> faults{0};
std::atomic<int> products{0};
void (*fault)() = nullptr;

void product_with_faults(kern::Exec& exec, const kern::GemmArgs<float>& args) {
  ++products;
  if (faults > 0) {
    --faults;
    fault();
  }
  below().kernels().gemm(exec, args);
}

/// Tensors that were reshaped there.
std::atomic<int> regrouped{0};

void counted_regroup(kern::Exec& exec, const kern::RegroupArgs<float>& args) {
  ++regrouped;
  below().kernels().regroup(exec, args);
}

/// The device, whose products can fail.
const kern::Device& device() {
  static const kern::Kernels<float> kernels = [] {
    kern::Kernels<float> table = below().kernels();
    table.gemm = product_with_faults;
    table.regroup = counted_regroup;
    return table;
  }();
  static const kern::Device kDevice = [] {
    kern::Device one = below();
    one.tables = [](kern::Precision precision) -> const kern::Kernels<float>& {
      return precision == kern::Precision::f32 ? kernels : below().kernels(precision);
    };
    return one;
  }();
  return kDevice;
}

class GpuStudy : public SmallStudy {
 protected:
  GpuStudy() {
    if (where == Where::host)
      pretended_gpus_ = 1;
    else
      executor_ = rt::Executor::starpu_cuda;
    tasks::compute_with(&device());
    faults = 0;
  }
  ~GpuStudy() override { tasks::compute_with(nullptr); }

  [[nodiscard]] StudySpec on_gpu(const std::string& more = "") const {
    return study("resources: {gpus: 1}\n" + more);
  }
  [[nodiscard]] std::vector<TrialRow> trials() const { return StudyReader(run()).trials(); }
  /// The trials so far; the next session knows nothing of them.
  [[nodiscard]] std::vector<TrialRow> fresh_start() const {
    std::vector<TrialRow> before = trials();
    for (const base::Path& path : {run(), store()}) std::filesystem::remove_all(path);
    return before;
  }
  static void expect_same(const std::vector<TrialRow>& got, const std::vector<TrialRow>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].state, TrialState::complete) << got[i].message;
      EXPECT_EQ(got[i].params, wanted[i].params);
      EXPECT_EQ(got[i].value, wanted[i].value) << "trial " << i;
    }
  }
};

TEST_F(GpuStudy, TrainsTheSameStudyUnderOtherKeys) {
  EXPECT_EQ(session(on_gpu(), "a").end, DriverEnd::finished);
  const std::vector<TrialRow> there = trials();
  std::filesystem::rename(run(), folder_ / "there");
  const Session again = session(study(), "a");
  EXPECT_EQ(again.epochs, 18) << "a core computes other bits than a GPU: nothing is shared";
  const std::vector<TrialRow> here = trials();
  ASSERT_EQ(there.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(there[i].state, TrialState::complete);
    EXPECT_EQ(there[i].params, here[i].params);
    ASSERT_TRUE(there[i].value && here[i].value);
    EXPECT_NEAR(*there[i].value, *here[i].value, 1e-3);
  }
}

TEST_F(GpuStudy, ANetworksSizeDecidesWhereTheFileLeavesItOpen) {
  products = 0;
  EXPECT_EQ(session(study("resources: {gpus: auto, gpu_from: 1e29}\n"), "a").end,
            DriverEnd::finished);
  EXPECT_EQ(products, 0);
  std::filesystem::rename(run(), folder_ / "cores");
  EXPECT_EQ(session(study("resources: {gpus: auto, gpu_from: 1}\n"), "a").end, DriverEnd::finished);
  EXPECT_GT(products, 0);
  for (const TrialRow& trial : trials()) EXPECT_EQ(trial.state, TrialState::complete);
}

TEST_F(GpuStudy, TrainsInEveryPrecisionUnderKeysOfItsOwn) {
  EXPECT_EQ(session(on_gpu(), "a").epochs, 18);
  const std::vector<TrialRow> whole = trials();
  for (const char* precision : {"tf32", "bf16"}) {
    std::filesystem::remove_all(run());
    const StudySpec rounded = on_gpu(base::cat("precision: ", precision, "\n"));
    EXPECT_NO_THROW(require_precision(rounded.precision, {.gpus = 1}));
    EXPECT_EQ(session(rounded, "a").epochs, 18) << precision;
    const std::vector<TrialRow> there = trials();
    ASSERT_EQ(there.size(), whole.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
      EXPECT_EQ(there[i].state, TrialState::complete);
      ASSERT_TRUE(there[i].value && whole[i].value);
      EXPECT_NEAR(*there[i].value, *whole[i].value, 0.05);
    }
  }
}

TEST_F(GpuStudy, WhatNoCoreTrainsIsForGpusWhereTheFileLeavesItOpen) {
  const rt::Runtime runtime({.executor = rt::Executor::sequential});
  const auto threshold = [&](const char* precision, int gpus) {
    return place_study(load_settled(study(
                           base::cat("resources: {gpus: auto}\nprecision: ", precision, "\n"))),
                       platform_here(2, gpus))
        .gpu_from;
  };
  EXPECT_EQ(threshold("tf32", 1), 0);
  EXPECT_GT(threshold("f32", 1), 0) << "such small networks are for cores";
  EXPECT_GT(threshold("tf32", 0), 0);
}

TEST_F(GpuStudy, GoesOnWhereItWasInterrupted) {
  Stopper stopper(8);
  ASSERT_EQ(session(on_gpu(), "a", stopper).end, DriverEnd::interrupted);
  const auto before = static_cast<std::int64_t>(events("reported").size());
  const Session rest = session(on_gpu(), "a");
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_LE(rest.epochs, 18 - before);
}

TEST_F(GpuStudy, NetworksChangeTheirShapeOnIt) {
  for (const char* adapt :
       {"{policy: race, every: 2, until: 4}",
        "{policy: race, every: 1, length: 0.5, until: 4, factor: 1.5, price: 1e-9}",
        "{policy: prune, strength: 1, threshold: 0.5, until: 5}",
        "{policy: schedule, at: {1: {widen: {layer: dense1, by: 4, rule: replicate}},"
        " 2: {deepen: {layer: dense1}}, 3: {tidy: {layer: dense1, dead: true}},"
        " 4: {shrink: {layer: dense1, by: 1}}}}"}) {
    SCOPED_TRACE(adapt);
    const StudySpec spec = on_gpu(base::cat("adapt: ", adapt, "\n"));
    regrouped = 0;
    EXPECT_EQ(session(spec, "a").end, DriverEnd::finished);
    EXPECT_GT(regrouped, 0);
    const std::vector<TrialRow> before = fresh_start();
    EXPECT_EQ(session(spec, "a").end, DriverEnd::finished);
    expect_same(trials(), before);
    (void)fresh_start();
  }
}

TEST_F(GpuStudy, ManyTrialsAtOnceGiveTheSameBitsAgain) {
  const StudySpec many = parse_study(
      "name: many\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: $width}]\n"
      "train: {optimizer: {adam: {lr: 0.01}}, epochs: 4}\nmethod: random\nparallel: 8\n"
      "early_stop: none\nparameters: {width: {type: int, min: 4, max: 400}}\n"
      "limits: {trials: 16}\nresources: {gpus: 1}\n",
      "many.yaml", folder_.path().string());
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> before = fresh_start();
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  expect_same(trials(), before);
}

TEST_F(GpuStudy, APopulationChangesItsShapesBetweenCoresAndIt) {
  const StudySpec population = parse_study(
      "name: population\ndata: {csv: rows.csv, target: kind}\n"
      "network: [dense: {name: fc1, units: $width}]\n"
      "train: {optimizer: {sgd: {lr: $lr}}, epochs: 8}\n"
      "method: {type: pbt, members: 6, every: 1, reshape: [widen: {layer: fc1, by: 16}]}\n"
      "parameters: {width: {type: int, min: 4, max: 40}, lr: {min: 0.001, max: 0.1}}\n"
      "resources: {gpus: auto, gpu_from: 20000}\n",
      "population.yaml", folder_.path().string());
  products = 0;
  EXPECT_EQ(session(population, "a").end, DriverEnd::finished);
  EXPECT_GT(products, 0);
  const std::vector<TrialRow> before = fresh_start();
  EXPECT_EQ(session(population, "a").end, DriverEnd::finished);
  expect_same(trials(), before);
}

TEST_F(GpuStudy, ADeviceThatFailsLosesTheTrialWhichIsTriedAgain) {
  fault = [] { throw kern::DeviceError("CUDA: invalid argument"); };
  faults = 1;
  EXPECT_EQ(session(on_gpu("retry: {max: 1}\n"), "a").end, DriverEnd::finished);
  const auto retried = events("retried");
  ASSERT_EQ(retried.size(), 1U);
  EXPECT_NE(retried[0].find("invalid argument"), std::string::npos) << retried[0];
  for (const TrialRow& trial : trials()) EXPECT_EQ(trial.state, TrialState::complete);
}

std::atomic<int> gone{0};
void count_gone(const rt::GpuFailure& failure) {
  if (failure.why == "CUDA: unspecified launch failure") ++gone;
}

TEST_F(GpuStudy, ADeviceThatIsGoneEndsTheSessionAndTheNextOneGoesOn) {
  EXPECT_EQ(session(on_gpu(), "a").end, DriverEnd::finished);
  const std::vector<TrialRow> before = fresh_start();
  fault = [] { throw kern::DeviceGone("CUDA: unspecified launch failure"); };
  faults = 1;
  gone = 0;
  gpu_failed_ = count_gone;
  try {
    (void)session(on_gpu("retry: {max: 0}\n"), "a");
    FAIL() << "trials were tried on a device that is gone";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::no_device);
    EXPECT_NE(std::string(error.what()).find("unspecified launch failure"), std::string::npos);
  }
  EXPECT_EQ(gone, 1) << "before the session ended, the program could have gone on without it";
  for (const TrialRow& trial : trials()) EXPECT_NE(trial.state, TrialState::failed);
  EXPECT_EQ(session(on_gpu("retry: {max: 0}\n"), "a").end, DriverEnd::finished);
  expect_same(trials(), before);
}

/// Lets a product fail once so many reports are on disk.
struct Saboteur : Stopper {
  explicit Saboteur(int reports) : Stopper(0), until(reports) {}
  void trial_reported(const TrialRow&) override {
    if (--until == 0) faults = 1;
  }
  int until;
};

TEST_F(GpuStudy, ATrialThatDoesNotFitIsOutOfMemoryAndTheOthersGoOn) {
  fault = [] { throw kern::OutOfMemory("the device has 5 of its 10 bytes left, not 7"); };
  Saboteur saboteur(4);
  EXPECT_EQ(session(on_gpu("retry: {max: 0}\n"), "a", saboteur).end, DriverEnd::finished);
  int failed = 0;
  for (const TrialRow& trial : trials()) {
    if (trial.state == TrialState::complete) continue;
    ++failed;
    EXPECT_EQ(trial.cause, Cause::out_of_memory);
    EXPECT_NE(trial.message.find("5 of its 10 bytes left, not 7"), std::string::npos)
        << trial.message;
  }
  EXPECT_EQ(failed, 1);
}

constexpr std::uint64_t kLittle = 1 << 20;

class LittleGpu : public GpuStudy {
 protected:
  void shrink_device() {
    pretended_memory_ = {kLittle};
    if (where != Where::host)
      ::setenv("STARPU_LIMIT_CUDA_MEM", std::to_string(workers_per_gpu_).c_str(), 1);
  }
  ~LittleGpu() override {
    ::unsetenv("STARPU_LIMIT_CUDA_MEM");
    ::unsetenv("STARPU_NWORKER_PER_CUDA");
  }

  /// Trials whose networks have `least` to `most` units in each of two layers.
  [[nodiscard]] StudySpec deep_study(const std::string& more, int least, int most) const {
    return parse_study(
        base::cat("name: deep\ndata: {csv: rows.csv, target: kind}\n"
                  "network: [dense: {units: $width}, dense: {units: $width}]\n"
                  "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 2}\nmethod: random\n"
                  "early_stop: none\nlimits: {trials: 6}\nresources: {gpus: 1}\n"
                  "parameters: {width: {type: int, min: ",
                  least, ", max: ", most, "}}\n", more),
        "deep.yaml", folder_.path().string());
  }

  /// On one with `memory` bytes, and cores for so many networks that share it.
  [[nodiscard]] static Plan planned(const StudySpec& study, int sharers = 1,
                                    std::uint64_t memory = kLittle) {
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    rt::Platform platform = platform_here(sharers, 1);
    platform.gpu.memory = memory;
    return plan_study(load_settled(study), rt::with_sharers(platform, sharers));
  }
};

TEST_F(LittleGpu, RefusesATrialThatItCouldNotHoldOnceWithBothSizes) {
  shrink_device();
  const StudySpec deep = deep_study("parallel: 1\nretry: {max: 2}\n", 4, 400);
  EXPECT_EQ(session(deep, "a").end, DriverEnd::finished);
  EXPECT_TRUE(events("retried").empty());
  int refused = 0, complete = 0;
  for (const TrialRow& trial : trials()) {
    complete += trial.state == TrialState::complete ? 1 : 0;
    if (trial.state == TrialState::complete) continue;
    ++refused;
    EXPECT_EQ(trial.cause, Cause::out_of_memory);
    EXPECT_NE(trial.message.find("of its device's memory, one has 1.0 MiB"), std::string::npos)
        << trial.message;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(complete, 0);
  const Plan plan = planned(deep);
  EXPECT_EQ(plan.too_large, refused) << "known before";
  EXPECT_GT(plan.gpu_memory, kLittle);
}

TEST_F(LittleGpu, ATableThatItDoesNotHoldStaysInMainMemoryAndChangesNoResult) {
  constexpr int kColumns = 40;
  std::string rows;
  for (int column = 0; column < kColumns; ++column) rows += base::cat("c", column, ",");
  rows += "kind\n";
  for (int i = 0; i < 8000; ++i) {
    for (int column = 1; column <= kColumns; ++column)
      rows += base::cat((i * 37 * column) % 101 * 0.5, ",");
    rows += i * 37 % 101 > 50 ? "yes\n" : "no\n";
  }
  base::write_file_atomic(folder_ / "many.csv", rows);
  const StudySpec many = parse_study(
      "name: many\ndata: {csv: many.csv, target: kind}\nnetwork: [dense: {units: $width}]\n"
      "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 2}\nmethod: random\nearly_stop: none\n"
      "parallel: 1\nparameters: {width: {type: int, min: 4, max: 8}}\nlimits: {trials: 2}\n"
      "adapt: {policy: race, every: 1, until: 2}\nresources: {gpus: 1}\n",
      "many.yaml", folder_.path().string());
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> resident = fresh_start();
  shrink_device();
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  expect_same(trials(), resident);
  const Plan plan = planned(many);
  EXPECT_EQ(plan.too_large, 0);
  EXPECT_LE(plan.gpu_memory, kLittle);
}

TEST_F(LittleGpu, TrialsThatItDoesNotHoldTogetherTakeTurns) {
  const StudySpec deep = deep_study("parallel: 4\n", 130, 170);
  EXPECT_EQ(session(deep, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> with_room = fresh_start();
  shrink_device();
  EXPECT_EQ(session(deep, "a").end, DriverEnd::finished);
  expect_same(trials(), with_room);
}

TEST_F(LittleGpu, SeveralTrialsAtOnceDoNotWaitForEachOthersMemory) {
  if (where == Where::host) GTEST_SKIP() << "one task after the other there";
  const StudySpec deep = deep_study("parallel: 4\n", 130, 170);
  EXPECT_EQ(session(deep, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> one_by_one = fresh_start();
  workers_per_gpu_ = 4;
  ::setenv("STARPU_NWORKER_PER_CUDA", "4", 1);  // where there are fewer cores, too
  shrink_device();
  EXPECT_EQ(session(deep, "a").end, DriverEnd::finished);
  expect_same(trials(), one_by_one);
}

TEST_F(LittleGpu, EachOfThoseThatShareItHasItsPartOfItsMemory) {
  const StudySpec deep = deep_study("parallel: 4\n", 130, 170);
  EXPECT_EQ(planned(deep).too_large, 0);
  const Plan shared = planned(deep, 4);
  EXPECT_EQ(shared.trials_per_gpu, 4);
  EXPECT_EQ(shared.too_large, shared.trials);
  EXPECT_EQ(planned(deep, 4, 4 * kLittle).too_large, 0);
}

void expect_refused(const std::function<void()>& start, const std::string& words) {
  try {
    start();
    FAIL() << "was not refused";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::no_device);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Gpus, AreRefusedWhereThereAreNone) {
  expect_refused([] { require_resources({.gpus = 1}, 1, 0); },
                 "resources.gpus: each trial needs 1, this machine has 0");
}

TEST(Gpus, TwoForOneNetworkAreRefused) {
  expect_refused([] { prepare_gpu({.gpus = 2}); },
                 "resources.gpus: each trial needs 2, but a network trains on one at most");
}

TEST(Gpus, WithoutADriverTheReasonIsSaid) {
  std::string why;
  if (tasks::cuda_device(why) != nullptr) GTEST_SKIP() << "there is a CUDA device";
  expect_refused([] { tasks::setup_gpus(); }, "networks cannot compute on a GPU here: " + why);
  EXPECT_FALSE(why.empty());
}

}  // namespace
}  // namespace hpo

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto asked = [&](std::string_view word) {
    return std::any_of(argv, argv + argc, [&](std::string_view a) { return a == word; });
  };
  if (asked("--starpu")) hpo::where = hpo::Where::starpu;
  if (asked("--gpu")) {
    std::string why;
    hpo::where = hpo::Where::gpu;
    hpo::real = tasks::cuda_device(why);
    if (hpo::real == nullptr) {
      std::cout << "skipped: no CUDA device to test on: " << why << '\n';
      return 77;
    }
  }
  return RUN_ALL_TESTS();
}
