// Trials on paper: what the timetable promises, on cases that can be counted by hand and at random.

#include "hpo/place/timetable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "hpo/place/threshold.h"
#include "tests/hpo/place/paper.h"

namespace hpo {
namespace {

const KindOf kCores = split_at(std::numeric_limits<double>::infinity());
const KindOf kGpus = split_at(0);

Piece piece(double cpu, double gpu) {
  return {.step_flops = cpu, .cpu_seconds = cpu, .gpu_seconds = gpu};
}

TEST(Timetable, CountsByHand) {
  const rt::Platform two = paper::platform(2, 1);
  const std::vector<PaperTrial> trials{{piece(3, 1)}, {piece(2, 1)}, {piece(2, 1)}};
  EXPECT_DOUBLE_EQ(timetable(trials, two, 8, kCores).seconds, 4);  // 3 beside 2 and 2
  EXPECT_DOUBLE_EQ(timetable(trials, two, 8, kGpus).seconds, 3);
  EXPECT_DOUBLE_EQ(timetable(trials, two, 1, kCores).seconds, 7);  // one slot
  const Timetable mixed = timetable(trials, two, 8, split_at(3));
  EXPECT_DOUBLE_EQ(mixed.seconds, 2);
  EXPECT_DOUBLE_EQ(mixed.cpu_busy, 4);
  EXPECT_DOUBLE_EQ(mixed.gpu_busy, 1);
  EXPECT_EQ(mixed.gpu_trials, 1U);
}

TEST(Timetable, AGpuHasAPlaceForEachOfItsSharers) {
  rt::Platform shared = paper::platform(2, 1);
  shared.gpu.sharers = 2;
  const std::vector<PaperTrial> trials{{piece(9, 2)}, {piece(9, 2)}, {piece(9, 1)}};
  const Timetable table = timetable(trials, shared, 8, kGpus);
  EXPECT_DOUBLE_EQ(table.seconds, 3);  // 2 beside 2, and 1 behind one of them
  EXPECT_DOUBLE_EQ(table.gpu_busy, 2.5) << "of a GPU, not of its places";
  EXPECT_DOUBLE_EQ(timetable(trials, shared, 1, kGpus).seconds, 5);
}

TEST(Timetable, APieceWaitsForTheOneBefore) {
  const std::vector<PaperTrial> grown{{piece(1, 9), piece(5, 2), piece(1, 9)}};
  const Timetable table = timetable(grown, paper::platform(2, 1), 8, split_at(5));
  EXPECT_DOUBLE_EQ(table.seconds, 4);  // core, GPU, core
  EXPECT_EQ(table.gpu_trials, 1U);
}

TEST(Timetable, RefusesAKindThatIsNotThere) {
  const std::vector<PaperTrial> trials{{piece(1, 1)}};
  EXPECT_THROW((void)timetable(trials, paper::platform(2, 0), 1, kGpus), std::invalid_argument);
}

TEST(Timetable, EndsBetweenTheBoundsOfAnyListSchedule) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const rt::Platform platform =
        paper::platform(1 + static_cast<int>(seed % 5), 1 + static_cast<int>(seed % 3));
    const auto trials = paper::mixed(seed, 12, 1 + static_cast<int>(seed % 4), platform);
    const double threshold = trials[seed % trials.size()].front().step_flops;
    const Timetable table = timetable(trials, platform, trials.size(), split_at(threshold));
    double longest = 0;
    for (const PaperTrial& trial : trials) {
      double chain = 0;
      for (const Piece& one : trial)
        chain += one.step_flops >= threshold ? one.gpu_seconds : one.cpu_seconds;
      longest = std::max(longest, chain);
    }
    const double area =
        std::max(table.cpu_busy / platform.cpu.count, table.gpu_busy / platform.gpu.count);
    EXPECT_GE(table.seconds, std::max(longest, area) * (1 - 1e-12));
    // No device is idle while work of its kind waits (Graham 1966).
    EXPECT_LE(table.seconds, (longest + table.cpu_busy / platform.cpu.count +
                              table.gpu_busy / platform.gpu.count) *
                                 (1 + 1e-12));
  }
}

}  // namespace
}  // namespace hpo
