// Ten thousand trials: proposals stay right, and memory grows with the history alone.

#include <gtest/gtest.h>
#include <malloc.h>

#include "hpo/space/random.h"
#include "tests/hpo/samplers/studies.h"

namespace hpo {
namespace {

constexpr std::size_t kTrials = 10'000;
constexpr std::size_t kAsked = 1000;  // trials between two proposals
constexpr double kBytesAValue = 200;  // of a parameter in a trial
constexpr double kBytesATrial = 200;  // besides

double bytes_in_use() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

Space wide() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 10; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .domain = FloatRange{}});
  return Space(parameters);
}

std::vector<Searched> endless() {
  std::vector<Searched> all;
  for (const base::KindInfo& kind : sampler_kinds()) {
    if (sampler_refuses(kind.kind, wide(), {}).empty() && !is_population(kind.kind))
      all.push_back({kind.kind, "wide", wide()});
  }
  return all;
}

class Endurance : public ::testing::TestWithParam<Searched> {};

TEST_P(Endurance, MemoryGrowsWithTheHistoryAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's heap does not say what is in use";
#endif
  const Space& space = GetParam().space;
  const double before = bytes_in_use();
  auto sampler = GetParam().make();
  Stream stream(1, "endurance");
  std::vector<double> places(space.size());
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    for (double& place : places) place = stream.uniform();
    Params params = space.from_unit(places);
    if (i % kAsked == 0) {
      const std::optional<Params> proposal = sampler->propose(i);
      ASSERT_TRUE(proposal.has_value());
      ASSERT_TRUE(space.contains(*proposal));
      params = *proposal;
    }
    sampler->created(i, params);
    sampler->reported(i, 1, Score(stream.uniform()));
    sampler->ended(i, TrialState::complete);
  }
  const double values = static_cast<double>(kTrials * space.size());
  EXPECT_LT(bytes_in_use() - before, kBytesAValue * values + kBytesATrial * kTrials + 1e6);
}

INSTANTIATE_TEST_SUITE_P(Samplers, Endurance, ::testing::ValuesIn(endless()),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace hpo
