// What gp does beyond the conformance tests: it learns, fast and from few trials.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tests/hpo/samplers/searching.h"

namespace hpo {
namespace {

double number(const Params& params, const char* name) {
  return number_of(*params.find(name)).value();
}

/// Branin's function on its usual box; least value 0.397887.
const Space kBraninBox({{.name = "x", .domain = FloatRange{.min = -5, .max = 10}},
                        {.name = "y", .domain = FloatRange{.min = 0, .max = 15}}});

double branin(const Params& p) {
  constexpr double kPi = 3.14159265358979324;
  const double x = number(p, "x"), y = number(p, "y");
  const double a = y - 5.1 / (4 * kPi * kPi) * x * x + 5 / kPi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * kPi)) * std::cos(x) + 10;
}

TEST(Gp, FindsBraninsMinimumInFiftyTrials) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_LT(best_of("gp", kBraninBox, seed, 50, branin), 0.41) << "seed " << seed;
}

TEST(Gp, EightAtATimeFindItToo) { EXPECT_LT(mean_best("gp", kBraninBox, 60, branin, 8), 0.45); }

TEST(Gp, ManyBadOrWrongValuesDoNotHideTheGoodOnes) {
  const auto cliff = [](const Params& p) {
    const double x = number(p, "x"), y = number(p, "y");
    return x > 6 ? NAN : y > 12 ? 1e300 : branin(p);
  };
  EXPECT_LT(mean_best("gp", kBraninBox, 50, cliff), 0.45);
}

std::unique_ptr<Sampler> made(const char* kind, Params options = {}) {
  return make_sampler(kind, {.space = kBraninBox, .seed = 3, .options = std::move(options)});
}

TEST(Gp, BeginsWhenHalfOfTheFirstOnesHaveEnded) {
  auto gp = made("gp", {{"startup", std::int64_t{10}}}), sobol = made("sobol");
  for (std::uint64_t trial = 0; trial < 12; ++trial) {
    const Params params = gp->propose(trial).value();
    EXPECT_EQ(params, sobol->propose(trial)) << trial;
    gp->created(trial, params);
    sobol->created(trial, params);
    if (trial > 3) continue;
    gp->reported(trial, 1, Score(branin(params)));
    gp->ended(trial, TrialState::complete);
  }
  gp->reported(5, 1, Score(7));
  gp->ended(5, TrialState::complete);
  EXPECT_NE(gp->propose(12), sobol->propose(12));
}

TEST(Gp, FitsAheadOfTheTrialsThatAreProposedByIt) {
  auto gp = made("gp", {{"startup", std::int64_t{10}}});
  std::vector<std::uint64_t> handed_out;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    const Params params = gp->propose(trial).value();
    gp->created(trial, params);
    gp->reported(trial, 1, Score(branin(params)));
    gp->ended(trial, TrialState::complete);
    if (gp->work_ahead()) handed_out.push_back(trial + 1);
    EXPECT_FALSE(gp->work_ahead()) << "handed out twice";
  }
  EXPECT_EQ(handed_out, (std::vector<std::uint64_t>{30, 33, 36, 39, 42, 46, 50}));
}

TEST(Gp, ProposalsBesideRunningTrialsKeepTheirDistance) {
  auto gp = made("gp", {{"startup", std::int64_t{10}}});
  std::vector<Params> running;
  for (std::uint64_t trial = 0; trial < 28; ++trial) {
    const Params params = gp->propose(trial).value();
    gp->created(trial, params);
    if (trial >= 20) {
      for (const Params& other : running) {
        const double x = number(params, "x") - number(other, "x");
        const double y = number(params, "y") - number(other, "y");
        EXPECT_GT(std::hypot(x, y), 0.04) << trial;
      }
      running.push_back(params);
      continue;
    }
    gp->reported(trial, 1, Score(branin(params)));
    gp->ended(trial, TrialState::complete);
  }
}

const Space kMixed({{.name = "x", .domain = FloatRange{.min = 1e-5, .max = 1, .scale = Scale::log}},
                    {.name = "n", .domain = IntRange{.min = 1, .max = 500}},
                    {.name = "k", .domain = IntRange{.min = 1, .max = 6}},
                    {.name = "c",
                     .domain = Choice{{std::string("a"), std::string("b"), std::string("c"),
                                       std::string("d")}}}});

double mixed_loss(const Params& p) {
  return std::pow(std::log10(number(p, "x")) + 3, 2) + std::pow((number(p, "n") - 60) / 100, 2) +
         std::pow(number(p, "k") - 4, 2) + (*p.find("c") == ParamValue(std::string("c")) ? 0 : 2);
}

TEST(Gp, TakesIntsAndWords) {
  EXPECT_LT(mean_best("gp", kMixed, 50, mixed_loss),
            0.2 * mean_best("tpe", kMixed, 50, mixed_loss));
}

TEST(Gp, BranchesThatBringTheirOwnParametersAreNoTrap) {
  const auto a = std::vector<Condition>{{"kind", {std::string("a")}}};
  const auto b = std::vector<Condition>{{"kind", {std::string("b")}}};
  const Space space({{.name = "kind", .domain = Choice{{std::string("a"), std::string("b")}}},
                     {.name = "x", .domain = FloatRange{.min = 0, .max = 1}, .when = a},
                     {.name = "y", .domain = FloatRange{.min = 0, .max = 1}, .when = b},
                     {.name = "z", .domain = FloatRange{.min = 0, .max = 1}, .when = b}});
  const auto loss = [](const Params& p) {
    if (p.contains("x")) return 0.1 + std::abs(number(p, "x") - 0.123);
    return std::pow(number(p, "y") - 0.7, 2) + std::pow(number(p, "z") - 0.2, 2);
  };
  EXPECT_LT(mean_best("gp", space, 40, loss), 0.2 * mean_best("random", space, 40, loss));
}

}  // namespace
}  // namespace hpo
