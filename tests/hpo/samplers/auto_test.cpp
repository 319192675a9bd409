// What auto chooses.

#include <gtest/gtest.h>

#include "tests/hpo/samplers/searching.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

Space cube(int axes) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < axes; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .domain = FloatRange{}});
  return Space(parameters);
}

/// How many of the proposals of `kind` are those of auto, told the same history.
std::vector<bool> agreement(const std::string& kind, const Space& space, int trials) {
  auto chosen = make("auto", space, 1), other = make(kind, space, 1);
  std::vector<bool> same;
  for (int i = 0; i < trials; ++i) {
    const auto trial = static_cast<std::uint64_t>(i);
    const Params params = chosen->propose(trial).value();
    same.push_back(params == other->propose(trial).value());
    for (Sampler* sampler : {chosen.get(), other.get()}) {
      sampler->created(trial, params);
      sampler->reported(trial, 1, Score(number_of(params.begin()->second).value()));
      sampler->ended(trial, TrialState::complete);
    }
  }
  return same;
}

TEST(Auto, IsGpAndTpeInTurnForAHundredTrialsAndTpeAfterThem) {
  const std::vector<bool> gp = agreement("gp", cube(2), 105), tpe = agreement("tpe", cube(2), 105);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(i % 2 == 0 ? gp[i] : tpe[i]) << i;
  for (std::size_t i = 20; i < 100; ++i) EXPECT_FALSE(i % 2 == 0 ? tpe[i] : gp[i]) << i;
  for (std::size_t i = 100; i < 105; ++i) EXPECT_TRUE(tpe[i]) << i;
  EXPECT_FALSE(gp[104]);
}

TEST(Auto, IsTpeAloneWhereManyParametersAreFree) {
  for (const bool same : agreement("tpe", cube(31), 20)) EXPECT_TRUE(same);
}

TEST(Auto, SaysWhy) {
  EXPECT_EQ(sampler_reason("auto", spaces::single()),
            "gp and tpe in turn for the first 100 trials, then tpe alone; parameters that are "
            "free: 1 (gp "
            "is good for 30)");
  EXPECT_EQ(sampler_reason("auto", cube(31)),
            "tpe alone, because 31 parameters are free, more than the 30 that gp is good for");
  EXPECT_EQ(sampler_reason("tpe", cube(31)), "");
}

}  // namespace
}  // namespace hpo
