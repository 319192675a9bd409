// Proposals follow from the history alone: with several trials at a time, after a restart in the
// middle, in another process.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/hpo/samplers/studies.h"

namespace hpo {
namespace {

constexpr std::size_t kReplayedTrials = 40;

class Replay : public ::testing::TestWithParam<Searched> {};

std::string undisturbed(const Searched& searched, std::size_t slots) {
  auto sampler = searched.make();
  Miniature study(*sampler, slots, searched.metrics);
  study.run(kReplayedTrials);
  return proposals_of(study.history());
}

TEST_P(Replay, AStudyThatWasInterruptedGoesOnAsIfItHadNotBeen) {
  for (const std::size_t slots : {std::size_t{1}, std::size_t{5}}) {
    const std::string whole = undisturbed(GetParam(), slots);
    for (const std::size_t cut : {std::size_t{3}, std::size_t{17}, std::size_t{31}}) {
      auto before = GetParam().make(), after = GetParam().make();
      Miniature study(*before, slots, GetParam().metrics);
      study.run(cut);
      for (const Told& told : study.history()) told.to(*after);
      before.reset();
      study.hand_over(*after);
      study.run(kReplayedTrials);
      EXPECT_EQ(proposals_of(study.history()), whole) << "cut after " << cut;
    }
  }
}

TEST_P(Replay, ValuesThatAreNoNumbersLeaveProposalsInTheSpace) {
  auto sampler = GetParam().make();
  Miniature study(*sampler, 3, GetParam().metrics);
  study.run(kReplayedTrials);
  for (const Told& told : study.history()) {
    EXPECT_TRUE(!told.created || GetParam().space.contains(told.params)) << json_of(told.params);
  }
}

TEST_P(Replay, ASearchThatOnlyFailsGoesOn) {
  auto sampler = GetParam().make();
  for (std::uint64_t i = 0; i < kReplayedTrials; ++i) {
    const std::optional<Params> params = sampler->propose(i);
    if (!params) {
      ASSERT_TRUE(GetParam().space.grid_size()) << "gave up after " << i;
      EXPECT_GE(i, *GetParam().space.grid_size());
      break;
    }
    EXPECT_TRUE(GetParam().space.contains(*params));
    sampler->created(i, *params);
    if (i % 2 == 0) sampler->reported(i, 1, Score(std::nan("")));
    sampler->ended(i, TrialState::failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, Replay, ::testing::ValuesIn(all_searched()),
                         [](const auto& test) { return name_of(test.param); });

std::string everything() {
  std::string text;
  for (const Searched& searched : all_searched()) text += undisturbed(searched, 4);
  return text;
}

/// Set for the other process, which prints instead of comparing.
constexpr const char* kPrints = "TRELLIS_TEST_PRINTS";

TEST(ReplayElsewhere, AnotherProcessProposesTheSame) {
  if (std::getenv(kPrints) != nullptr) {
    std::printf("BEGIN\n%sEND\n", everything().c_str());
    return;
  }
  const std::string command = std::string("exe=$(readlink /proc/$PPID/exe); ") + kPrints +
                              "=1 \"$exe\" --gtest_filter=ReplayElsewhere.*";
  const std::unique_ptr<FILE, int (*)(FILE*)> child(::popen(command.c_str(), "r"), ::pclose);
  ASSERT_NE(child, nullptr);
  std::string output;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), child.get()))
    output.append(part.data(), n);
  const std::size_t begin = output.find("BEGIN\n"), end = output.find("END\n");
  ASSERT_NE(end, std::string::npos) << output;
  EXPECT_EQ(output.substr(begin + 6, end - begin - 6), everything());
}

}  // namespace
}  // namespace hpo
