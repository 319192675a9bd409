// Trials that wait for a stopping rule: with one that promotes, most trials end that way.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/hpo/samplers/searching.h"

namespace hpo {
namespace {

class Waiting : public ::testing::TestWithParam<const char*> {};

Space line() {
  return Space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                {.name = "y", .domain = FloatRange{.min = 0, .max = 1}}});
}

double loss_at(const Params& params) {
  const double x = std::get<double>(*params.find("x")), y = std::get<double>(*params.find("y"));
  return (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6);
}

/// The loss of the last ten of 60 trials, one after another; `over` says what becomes of a trial
/// that has reported.
template <class Over>
double mean_of_last(const char* kind, std::uint64_t seed, const Over& over) {
  const Space space = line();
  const auto sampler = make(kind, space, seed);
  double sum = 0;
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const Params params = sampler->propose(trial).value();
    sampler->created(trial, params);
    sampler->reported(trial, 1, Score(loss_at(params)));
    over(*sampler, trial);
    if (trial >= 50) sum += loss_at(params) / 10;
  }
  return sum;
}

TEST_P(Waiting, IsLearntFromAsIfStopped) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const double waiting = mean_of_last(
        GetParam(), seed, [](Sampler& sampler, std::uint64_t t) { sampler.paused(t); });
    const double stopped = mean_of_last(GetParam(), seed, [](Sampler& sampler, std::uint64_t t) {
      sampler.ended(t, TrialState::stopped);
    });
    EXPECT_EQ(waiting, stopped);
    EXPECT_LT(waiting, mean_of_last("random", seed, [](Sampler&, std::uint64_t) {}));
  }
}

class GoingOn : public Waiting {};

TEST_P(GoingOn, MayEndInAnyWay) {
  const auto goes_on = [](Sampler& sampler, std::uint64_t trial) {
    sampler.paused(trial);
    if (trial % 2 == 0) return;
    sampler.resumed(trial);
    sampler.reported(trial, 2, Score(trial % 3 == 0 ? NAN : 0.5));
    sampler.ended(trial, trial % 3 == 0 ? TrialState::failed : TrialState::complete);
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const double once = mean_of_last(GetParam(), seed, goes_on);
    EXPECT_TRUE(std::isfinite(once));
    EXPECT_EQ(once, mean_of_last(GetParam(), seed, goes_on));
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, Waiting, ::testing::Values("tpe", "gp", "auto", "cmaes"),
                         [](const auto& test) { return std::string(test.param); });

INSTANTIATE_TEST_SUITE_P(Samplers, GoingOn,
                         ::testing::Values("tpe", "gp", "auto", "cmaes", "nsga2"),
                         [](const auto& test) { return std::string(test.param); });

/// 50 trials are a generation; what is proposed behind three of them, of which all wait, but that
/// trial 0 may go on before the last one is closed.
std::vector<Params> children(bool goes_on) {
  const Space space = line();
  const auto sampler = make("nsga2", space, 1);
  for (std::uint64_t trial = 0; trial < 150; ++trial) {
    const Params params = sampler->propose(trial).value();
    sampler->created(trial, params);
    sampler->reported(trial, 1, Score(trial == 0 ? 0 : loss_at(params)));
    sampler->paused(trial);
    if (trial != 120 || !goes_on) continue;
    sampler->resumed(0);
    sampler->reported(0, 2, Score(9));
    sampler->ended(0, TrialState::failed);
  }
  std::vector<Params> proposed;
  for (std::uint64_t trial = 150; trial < 170; ++trial)
    proposed.push_back(sampler->propose(trial).value());
  return proposed;
}

TEST(Generations, TakeUpWhatComesOfOneThatWaited) { EXPECT_NE(children(true), children(false)); }

/// What is proposed behind a generation whose trial 0 failed; `again`: ran again and was the best.
std::vector<Params> behind_a_failure(const char* kind, bool again) {
  const Space space = line();
  const auto sampler = make(kind, space, 1);
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const Params params = sampler->propose(trial).value();
    sampler->created(trial, params);
    sampler->reported(trial, 1, Score(loss_at(params)));
    sampler->ended(trial, trial == 0 ? TrialState::failed : TrialState::complete);
  }
  if (again) {
    sampler->reopened(0);
    sampler->reported(0, 2, Score(-1));
    sampler->ended(0, TrialState::complete);
  }
  for (std::uint64_t trial = 60; trial < 100; ++trial) {
    const Params params = sampler->propose(trial).value();
    sampler->created(trial, params);
    sampler->reported(trial, 1, Score(loss_at(params)));
    sampler->ended(trial, TrialState::complete);
  }
  std::vector<Params> proposed;
  for (std::uint64_t ordinal = 100; ordinal < 120; ++ordinal)
    proposed.push_back(sampler->propose(ordinal).value());
  return proposed;
}

TEST(Generations, LearnFromWhoRunsAgainWithTheGenerationThatIsOpenThen) {
  for (const char* kind : {"nsga2", "cmaes"})
    EXPECT_NE(behind_a_failure(kind, true), behind_a_failure(kind, false)) << kind;
}

}  // namespace
}  // namespace hpo
