// The threshold between cores and GPUs against the best that any placement can do.

#include "hpo/place/threshold.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/hpo/place/paper.h"

namespace hpo {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double under_threshold(const std::vector<PaperTrial>& trials, const rt::Platform& platform) {
  const double threshold = best_threshold(trials, platform, trials.size());
  return timetable(trials, platform, trials.size(), split_at(threshold)).seconds;
}

/// Of all 2^n ways to give each trial a kind.
double best_of_all(const std::vector<PaperTrial>& trials, const rt::Platform& platform) {
  double best = kNever;
  for (std::uint32_t mask = 0; mask < (1U << trials.size()); ++mask) {
    std::vector<bool> on_gpu(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) on_gpu[i] = (mask >> i & 1U) != 0;
    best = std::min(best, paper::under(trials, platform, on_gpu));
  }
  return best;
}

TEST(Threshold, IsWithinATenthOfTheBestPlacementOfSmallMixes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const rt::Platform platform = paper::platform(2 + static_cast<int>(seed % 3), 1);
    const auto trials = paper::mixed(seed, 8, 2, platform);
    const double best = best_of_all(trials, platform);
    EXPECT_LE(under_threshold(trials, platform), 1.1 * best) << "seed " << seed;
  }
}

TEST(Threshold, OfAMixedSweepOn16CoresAnd4Gpus) {
  const rt::Platform platform = paper::platform(16, 4);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto trials = paper::mixed(seed, 64, 3, platform);
    const double threshold = best_threshold(trials, platform, trials.size());
    ASSERT_GT(threshold, 0);
    ASSERT_LT(threshold, kNever);
    const double ours = timetable(trials, platform, trials.size(), split_at(threshold)).seconds;
    std::vector<bool> on_gpu;
    for (const PaperTrial& trial : trials) on_gpu.push_back(trial.front().step_flops >= threshold);
    const double best = paper::best_found(trials, platform, on_gpu);
    const double gpus = timetable(trials, platform, trials.size(), split_at(0)).seconds;
    const double cores = timetable(trials, platform, trials.size(), split_at(kNever)).seconds;
    EXPECT_LE(ours, 1.1 * best);
    EXPECT_GE(gpus, 1.2 * ours);
    EXPECT_GE(cores, 1.3 * ours);
  }
}

TEST(Threshold, GivesGpusTheSmallestTooWhereTheyAreFasterAtAll) {
  const rt::Platform platform = paper::platform(1, 4);
  for (std::size_t count = 126; count < 140; ++count) {
    std::vector<PaperTrial> trials;
    for (std::size_t i = 1; i <= count; ++i)
      trials.push_back(
          {{.step_flops = 1e6 * static_cast<double>(i), .cpu_seconds = 60, .gpu_seconds = 0.1}});
    EXPECT_LE(best_threshold(trials, platform, trials.size()), 1e6) << count << " trials";
  }
}

TEST(Threshold, IsAFunctionOfTheTrialsAndThePlatformAlone) {
  const rt::Platform platform = paper::platform(4, 1);
  const auto trials = paper::mixed(7, 20, 2, platform);
  const double threshold = best_threshold(trials, platform, 8);
  EXPECT_EQ(threshold, best_threshold(trials, platform, 8));
  EXPECT_EQ(best_threshold(trials, paper::platform(4, 0), 8), kNever);
}

}  // namespace
}  // namespace hpo
