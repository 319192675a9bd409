// Trials that train on a GPU, on device code that runs on the host: what a study makes of it.

#include <atomic>
#include <filesystem>
#include <functional>

#include "hpo/driver/placement.h"
#include "hpo/driver/plan.h"
#include "kernels/device.h"
#include "tasks/device.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

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
  kern::emulated_device().kernels().gemm(exec, args);
}

/// The emulated device, whose products can fail.
const kern::Device& device() {
  static const kern::Kernels<float> kernels = [] {
    kern::Kernels<float> table = kern::emulated_device().kernels();
    table.gemm = product_with_faults;
    return table;
  }();
  static const kern::Device kDevice = [] {
    kern::Device one = kern::emulated_device();
    one.tables = [](kern::Precision precision) -> const kern::Kernels<float>& {
      return precision == kern::Precision::f32 ? kernels
                                               : kern::emulated_device().kernels(precision);
    };
    return one;
  }();
  return kDevice;
}

class GpuStudy : public SmallStudy {
 protected:
  GpuStudy() {
    pretended_gpus_ = 1;
    tasks::compute_with(&device());
    faults = 0;
  }
  ~GpuStudy() override { tasks::compute_with(nullptr); }

  [[nodiscard]] StudySpec on_gpu(const std::string& more = "") const {
    return study("resources: {gpus: 1}\n" + more);
  }
  [[nodiscard]] std::vector<TrialRow> trials() const { return StudyReader(run()).trials(); }
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
    const StudySpec rounded = on_gpu(rt::cat("precision: ", precision, "\n"));
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
  const auto border = [&](const char* precision, int gpus) {
    return place_study(load_settled(
                           study(rt::cat("resources: {gpus: auto}\nprecision: ", precision, "\n"))),
                       platform_here(2, gpus))
        .gpu_from;
  };
  EXPECT_EQ(border("tf32", 1), 0);
  EXPECT_GT(border("f32", 1), 0) << "such small networks are for cores";
  EXPECT_GT(border("tf32", 0), 0);
}

TEST_F(GpuStudy, GoesOnWhereItWasInterrupted) {
  Stopper stopper(8);
  ASSERT_EQ(session(on_gpu(), "a", stopper).end, DriverEnd::interrupted);
  const auto before = static_cast<std::int64_t>(events("reported").size());
  const Session rest = session(on_gpu(), "a");
  EXPECT_EQ(rest.end, DriverEnd::finished);
  EXPECT_LE(rest.epochs, 18 - before);
}

TEST_F(GpuStudy, ANetworkGrowsAndRacesOnIt) {
  const std::string adapt = "adapt: {policy: race, every: 2, until: 4}\n";
  EXPECT_EQ(session(on_gpu(adapt), "a").end, DriverEnd::finished);
  for (const TrialRow& trial : trials()) EXPECT_EQ(trial.state, TrialState::complete);
}

TEST_F(GpuStudy, ADeviceThatFailsLosesTheTrialWhichIsTriedAgain) {
  fault = [] { throw kern::DeviceError("CUDA: unspecified launch failure"); };
  faults = 1;
  EXPECT_EQ(session(on_gpu("retry: {max: 1}\n"), "a").end, DriverEnd::finished);
  const auto retried = events("retried");
  ASSERT_EQ(retried.size(), 1U);
  EXPECT_NE(retried[0].find("unspecified launch failure"), std::string::npos) << retried[0];
  for (const TrialRow& trial : trials()) EXPECT_EQ(trial.state, TrialState::complete);
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

TEST_F(GpuStudy, ATrialThatNoGpuCouldHoldIsRefusedOnceWithBothSizes) {
  pretended_memory_ = {200 << 10};
  EXPECT_EQ(session(on_gpu("retry: {max: 2}\n"), "a").end, DriverEnd::finished);
  EXPECT_TRUE(events("retried").empty());
  int refused = 0, complete = 0;
  for (const TrialRow& trial : trials()) {
    complete += trial.state == TrialState::complete ? 1 : 0;
    if (trial.state == TrialState::complete) continue;
    ++refused;
    EXPECT_EQ(trial.cause, Cause::out_of_memory);
    EXPECT_NE(trial.message.find("of its device's memory, one has 200.0 KiB"), std::string::npos)
        << trial.message;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(complete, 0);
  const rt::Runtime runtime({.executor = rt::Executor::sequential});
  rt::Platform small = platform_here(1, 1);
  small.gpu.memory = pretended_memory_.value;
  const Plan planned = plan_study(load_settled(on_gpu()), small);
  EXPECT_EQ(planned.too_large, refused) << "known before";
  EXPECT_GT(planned.gpu_memory, pretended_memory_.value);
}

TEST_F(GpuStudy, ATableThatNoGpuHoldsStaysInMainMemoryAndChangesNoResult) {
  std::string rows = "a,b,c,d,e,f,kind\n";
  for (int i = 0; i < 8000; ++i) {
    for (int column = 1; column <= 6; ++column) rows += rt::cat((i * 37 * column) % 101 * 0.5, ",");
    rows += i * 37 % 101 > 50 ? "yes\n" : "no\n";
  }
  rt::write_file_atomic(folder_ / "many.csv", rows);
  const StudySpec many = parse_study(
      "name: many\ndata: {csv: many.csv, target: kind}\nnetwork: [dense: {units: $width}]\n"
      "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 2}\nmethod: random\nearly_stop: none\n"
      "parallel: 1\nparameters: {width: {type: int, min: 4, max: 8}}\nlimits: {trials: 2}\n"
      "adapt: {policy: race, every: 1, until: 2}\nresources: {gpus: 1}\n",
      "many.yaml", folder_.path().string());
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> resident = trials();
  for (const rt::Path& path : {run(), store()}) std::filesystem::remove_all(path);
  pretended_memory_ = {100 << 10};
  EXPECT_EQ(session(many, "a").end, DriverEnd::finished);
  const std::vector<TrialRow> fed = trials();
  ASSERT_EQ(fed.size(), resident.size());
  for (std::size_t i = 0; i < fed.size(); ++i) {
    EXPECT_EQ(fed[i].state, TrialState::complete) << fed[i].message;
    EXPECT_EQ(fed[i].value, resident[i].value);
  }
  const rt::Runtime runtime({.executor = rt::Executor::sequential});
  rt::Platform small = platform_here(1, 1);
  small.gpu.memory = pretended_memory_.value;
  const Plan planned = plan_study(load_settled(many), small);
  EXPECT_EQ(planned.too_large, 0);
  EXPECT_LE(planned.gpu_memory, pretended_memory_.value);
}

void expect_refused(const std::function<void()>& start, const std::string& words) {
  try {
    start();
    FAIL() << "was not refused";
  } catch (const rt::Error& error) {
    EXPECT_EQ(error.kind(), rt::Errc::no_device);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Gpus, AreRefusedWhereThereAreNone) {
  expect_refused([] { require_resources({.gpus = 1}, 1, 0); },
                 "resources.gpus: 1 for each trial, this machine offers 0");
}

TEST(Gpus, TwoForOneNetworkAreRefused) {
  expect_refused([] { prepare_gpu({.gpus = 2}); },
                 "resources.gpus: 2 for each trial, a network trains on one at most");
}

TEST(Gpus, WithoutADriverTheReasonIsSaid) {
  std::string why;
  if (kern::cuda_device(why) != nullptr) GTEST_SKIP() << "there is a CUDA device";
  expect_refused([] { tasks::setup_gpus(); }, "networks cannot compute on a GPU here: " + why);
  EXPECT_FALSE(why.empty());
}

}  // namespace
}  // namespace hpo
