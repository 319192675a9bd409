// Whole studies on simulated machines. Skips where StarPU's SimGrid flavour was not built.

#include "hpo/driver/planning/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/place/threshold.h"
#include "hpo/study/platform.h"
#include "runtime/instance.h"
#include "tasks/tasks.h"
#include "tests/hpo/place/paper.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

const std::string kRoot = TRELLIS_SOURCE_ROOT;

class Simulate : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!support::kFollowsSimGrid) GTEST_SKIP() << "not under a sanitizer";
    std::ofstream rows(folder_ / "rows.csv");
    rows << "a,b,c,d,kind\n";
    for (int i = 0; i < 12'000; ++i)
      rows << i % 7 << ',' << i % 11 << ',' << i % 13 << ',' << i % 17 << ','
           << (i % 7 < 3 ? "yes" : "no") << '\n';
    rows.close();
    static const std::string kMissing = why_not(study("limits: {trials: 1}\n"));
    if (!kMissing.empty()) GTEST_SKIP() << kMissing;
  }

  static std::string why_not(const StudySpec& smallest) {
    try {
      (void)simulate_apart(smallest, machine(), find_scheme("cpu-only"), 60);
      return "";
    } catch (const base::Error& error) {
      if (error.kind() == base::Errc::no_device) return error.what();
      throw;
    }
  }

  static rt::Platform machine() {
    return load_platform(kRoot + "/experiments/platforms/16-cores-4-gpus.yaml");
  }

  /// Networks of 1e4 to 1e8 weights on 12,000 rows.
  [[nodiscard]] StudySpec study(const std::string& more) const {
    return parse_study(
        "name: mixed\ndata: {csv: rows.csv, target: kind}\n"
        "network: [repeat: {times: 6, of: [dense: {units: $width}]}]\n"
        "train: {batch: 32, epochs: 3, optimizer: {adam: {lr: $lr}}}\n"
        "method: random\nearly_stop: none\nparallel: 64\n"
        "parameters:\n  lr: {min: 1e-4, max: 1e-1, scale: log}\n"
        "  width: {type: int, min: 45, max: 4500, scale: log}\n" +
            more,
        "mixed.yaml", folder_.path().string());
  }

  support::TempFolder folder_;
};

double seconds_under(const StudySpec& study, const char* scheme, const rt::Platform& machine) {
  return simulate_apart(study, machine, find_scheme(scheme)).seconds;
}

/// Of the sweep of 40 trials: simulated once.
double ours_on(const StudySpec& mixed, const rt::Platform& machine) {
  static const double kSeconds = seconds_under(mixed, "trellis", machine);
  return kSeconds;
}

TEST_F(Simulate, OursBeatsGpusAloneCoresAloneAndFifoOnAMixedSweep) {
  const StudySpec mixed = study("limits: {trials: 40}\n");
  const double ours = ours_on(mixed, machine());
  const double gpus = seconds_under(mixed, "gpu-only", machine());
  const double cores = seconds_under(mixed, "cpu-only", machine());
  const double fifo = seconds_under(mixed, "fifo", machine());
  std::printf("ours %.3f s; GPUs alone %.2f, cores alone %.2f, FIFO %.2f times as long\n", ours,
              gpus / ours, cores / ours, fifo / ours);
  EXPECT_GE(gpus, 1.3 * ours);
  EXPECT_GE(fifo, 1.3 * ours);
  EXPECT_GE(cores, 1.3 * ours);
}

/// The best that local search finds among placements that give each trial a kind, on paper.
double best_static(const StudySpec& study, const rt::Platform& machine) {
  const std::string said = support::in_child([&]() -> std::string {
    tasks::setup_process();
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    LoadedStudy loaded = load_settled(study);
    loaded.asked = {.any_gpu = true};
    const std::vector<PaperTrial> trials = paper_trials(loaded, machine);
    const double threshold = place_trials(loaded, machine, trials).gpu_from;
    std::vector<bool> on_gpu;
    for (const PaperTrial& trial : trials) on_gpu.push_back(trial.front().step_flops >= threshold);
    return base::format_double(paper::best_found(trials, machine, on_gpu));
  });
  return base::parse_double(said).value_or(0);
}

TEST_F(Simulate, OursIsWithinATenthOfTheBestStaticPlacementOfAMixedSweep) {
  const StudySpec mixed = study("limits: {trials: 40}\n");
  const double best = best_static(mixed, machine());
  ASSERT_GT(best, 0);
  const double ours = ours_on(mixed, machine());
  std::printf("ours %.3f s, the best static placement %.3f s\n", ours, best);
  EXPECT_LE(ours, 1.1 * best);
}

TEST_F(Simulate, TheSameStudyTakesTheSameTimeTwice) {
  const StudySpec mixed = study("limits: {trials: 6}\n");
  EXPECT_EQ(seconds_under(mixed, "trellis", machine()), seconds_under(mixed, "trellis", machine()));
}

TEST_F(Simulate, ALatencyIsModelled) {
  const auto tasks_within = [&](double worst) {
    const StudySpec study = parse_study(
        base::cat("name: timed\ndata: {csv: rows.csv, target: kind}\nmetric: valid.latency\n"
                  "network: [dense: {units: $width}]\ntrain: {epochs: 3}\nmethod: grid\n"
                  "parallel: 1\nparameters: {width: {values: [5, 50, 500]}}\n"
                  "early_stop: {type: threshold, worst: ",
                  base::format_double(worst), "}\n"),
        "timed.yaml", folder_.path().string());
    return simulate_apart(study, machine(), find_scheme("trellis")).tasks;
  };
  // Weights, FLOPs and layers of 4-5-2 at what nn::modelled_latency says of each.
  const double seconds = (25 + 12) * 4 / 20e9 + 2 * (20 + 10) / 50e9 + 2 * 1e-6;
  const auto all = tasks_within(1), one = tasks_within(seconds * 1.001);
  EXPECT_GT(all, one);
  EXPECT_GT(one, tasks_within(seconds * 0.999));
}

TEST_F(Simulate, ANetworkThatGrowsPastTheThresholdMovesWithItsNextTask) {
  const StudySpec growing = parse_study(
      "name: grows\ndata: {csv: " + kRoot +
          "/experiments/data/digits.csv.gz}\nnetwork: [dense: {name: fc1, units: 80}]\n"
          "train: {epochs: 3}\nearly_stop: none\nresources: {gpus: auto, gpu_from: 1e7}\n"
          "adapt: {policy: schedule, at: {1: {widen: {layer: fc1, to: 4000}}}}\n",
      "grows.yaml", kRoot);
  const std::string said = support::in_child([&]() -> std::string {
    std::vector<rt::SimulatedRun> runs;
    (void)simulate(growing, machine(), find_scheme("trellis"), &runs);
    std::string kinds;
    for (const rt::SimulatedRun& run : runs)
      if (run.task == "train") kinds += run.worker.kind == rt::Device::cpu ? 'c' : 'g';
    return kinds;
  });
  EXPECT_EQ(said, "cgg");
}

TEST_F(Simulate, EveryDevicesTimeIsAccountedFor) {
  const SimulationReport report =
      simulate_apart(study("limits: {trials: 8}\n"), machine(), find_scheme("trellis"));
  ASSERT_EQ(report.devices.size(), 20U);
  EXPECT_EQ(report.trials, 8);
  for (const WorkerInfo& device : report.devices) {
    double sum = device.busy + device.moving;
    for (const auto& [cause, seconds] : device.idle) sum += seconds;
    EXPECT_NEAR(sum, report.seconds, 0.01 * report.seconds) << device.name;
  }
}

TEST(Schemes, AnUnknownOneIsNamedWithTheNearest) {
  try {
    (void)find_scheme("gpu_only");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "--scheduler: \"gpu_only\" is unknown, expected one of trellis, as-born, "
                 "gpu-only, cpu-only, fifo, lws, dmda, dmdas; did you mean 'gpu-only'?");
  }
}

TEST(Schemes, ThatPutOnCoresWhatNoCoreTrainsAreRefused) {
  StudySpec study;
  for (const auto precision : {kern::Precision::f32, kern::Precision::bf16}) {
    study.precision = precision;
    for (const Scheme& scheme : schemes()) EXPECT_EQ(refuses(scheme, study), "") << scheme.name;
  }
  study.precision = kern::Precision::tf32;
  for (const Scheme& scheme : schemes()) {
    const bool gpus_will_do = !scheme.any_kind && scheme.name != "cpu-only";
    EXPECT_EQ(refuses(scheme, study).empty(), gpus_will_do) << scheme.name;
  }
  EXPECT_THROW((void)simulate(study, {}, find_scheme("cpu-only")), base::Error);
}

}  // namespace
}  // namespace hpo
