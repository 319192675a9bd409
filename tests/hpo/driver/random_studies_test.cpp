// Random studies on random machines with small GPUs, from the file to the last task. Skips where
// StarPU's SimGrid flavour was not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "hpo/driver/planning/simulate.h"
#include "hpo/study/spec.h"
#include "tests/runtime/place/runs.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

constexpr std::uint64_t kMega = 1 << 20;

std::string one_of(base::Stream& luck, const std::vector<std::string>& words) {
  return words[luck.below(words.size())];
}

std::uint64_t between(base::Stream& luck, std::uint64_t least, std::uint64_t most) {
  return least + luck.below(most - least + 1);
}

/// GPUs of 1 or 2 MiB, so that few networks fit beside each other and some fit nowhere.
rt::Platform random_machine(base::Stream& luck) {
  return {.name = "random",
          .cpu = {.count = static_cast<int>(between(luck, 1, 4)),
                  .peak = 1e9,
                  .half = 1e5,
                  .launch = 1e-6,
                  .bandwidth = 1e9,
                  .memory = 1'000'000'000},
          .gpu = {.count = static_cast<int>(between(luck, 1, 3)),
                  .peak = 2e10,
                  .half = 1e6,
                  .launch = 5e-6,
                  .bandwidth = 1e10,
                  .memory = between(luck, 1, 2) * kMega,
                  .link = 1e9,
                  .latency = 1e-5}};
}

std::string random_study(base::Stream& luck) {
  const std::uint64_t widest = std::uint64_t{16} << between(luck, 1, 5);
  return base::cat("name: random\ndata: {csv: ", one_of(luck, {"few.csv", "many.csv"}),
                   ", target: kind}\nnetwork: [dense: {name: fc1, units: $width}, dense: {units: ",
                   between(luck, 4, 256), "}]\ntrain: {batch: ", between(luck, 8, 256),
                   ", epochs: ", between(luck, 1, 4), ", optimizer: {",
                   one_of(luck, {"sgd: {lr: $lr, momentum: 0.9}", "adam: {lr: $lr}"}),
                   "}}\nmethod: ", one_of(luck, {"random", "tpe"}),
                   "\nearly_stop: ", one_of(luck, {"none", "{type: asha, min: 1}"}),
                   "\nparallel: ", between(luck, 1, 8), "\nseed: ", luck.below(1000),
                   "\nparameters:\n  lr: {min: 1e-4, max: 1e-1, scale: log}\n"
                   "  width: {type: int, min: 8, max: ",
                   widest, ", scale: log}\nlimits: {trials: ", between(luck, 2, 8), "}\n",
                   one_of(luck, {"", "", "adapt: {policy: race, every: 1, until: 2}\n"}),
                   "resources: {gpus: auto, gpu_from: ", one_of(luck, {"1", "1e5", "1e6", "1e7"}),
                   "}\n");
}

class RandomStudies : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!support::kFollowsSimGrid) GTEST_SKIP() << "not under a sanitizer";
    write("few.csv", 60);
    write("many.csv", 3000);
  }

  void write(const char* name, int rows) {
    std::string text = "a,b,c,kind\n";
    for (int i = 0; i < rows; ++i)
      text += base::cat(i % 7, ',', i % 11, ',', i % 13, ',', i % 7 < 3 ? "yes" : "no", '\n');
    base::write_file_atomic(folder_ / name, text);
  }

  support::TempFolder folder_;
};

/// What is wrong with a study's run, in words; "skip: " and why where nothing can be simulated.
std::string wrong_with(const std::string& text, const rt::Platform& machine,
                       const std::string& folder, std::uint64_t& most) {
  const std::string said = support::in_child([&]() -> std::string {
    simulated_runs::Runs runs;
    try {
      const StudySpec study = parse_study(text, "random.yaml", folder);
      const SimulationReport report = simulate(study, machine, find_scheme("trellis"), &runs);
      if (report.trials == 0) return "no trials";
    } catch (const base::Error& error) {
      const bool no_flavour = error.kind() == base::Errc::no_device;
      return base::cat(no_flavour ? "skip: " : "", error.what());
    }
    std::uint64_t held = 0;
    for (const rt::SimulatedRun& run : runs) held = std::max(held, run.resident);
    const std::string wrong = simulated_runs::check(runs, machine);
    return wrong.empty() ? base::cat("held ", held) : wrong;
  });
  constexpr std::string_view kGood = "held ";
  if (!said.starts_with(kGood)) return said;
  most = std::max<std::uint64_t>(most, std::stoull(said.substr(kGood.size())));
  return "";
}

constexpr int kParts = 20, kStudies = 10;

TEST_P(RandomStudies, LeaveNoDeviceIdleBesideATaskAndOverCommitNoGpu) {
  base::Stream luck(static_cast<std::uint64_t>(GetParam()), "random studies", 0);
  int full = 0;
  for (int i = 0; i < kStudies; ++i) {
    const rt::Platform machine = random_machine(luck);
    const std::string text = random_study(luck);
    std::uint64_t most = 0;
    const std::string wrong = wrong_with(text, machine, folder_.path().string(), most);
    if (wrong.starts_with("skip: ")) GTEST_SKIP() << wrong;
    full += most > machine.gpu.memory / 2 ? 1 : 0;
    EXPECT_EQ(wrong, "") << text << machine.cpu.count << " cores, " << machine.gpu.count
                         << " GPUs of " << machine.gpu.memory << " bytes";
  }
  EXPECT_GT(full, 0) << "the studies do not come near what a GPU holds";
}

INSTANTIATE_TEST_SUITE_P(Some, RandomStudies, ::testing::Values(0));
INSTANTIATE_TEST_SUITE_P(Others, RandomStudies, ::testing::Range(1, kParts));

}  // namespace
}  // namespace hpo
