// What tpe does beyond the conformance tests: it learns.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hpo/samplers/registry.h"
#include "hpo/space/random.h"
#include "tests/hpo/samplers/searching.h"

namespace hpo {
namespace {

double number_at(const Params& params, const char* name) {
  return std::get<double>(*params.find(name));
}

const Space kSquare(
    {{.name = "x", .domain = FloatRange{.min = -5, .max = 5}},
     {.name = "y", .domain = FloatRange{.min = 1e-5, .max = 1, .scale = Scale::log}},
     {.name = "n", .domain = IntRange{.min = 1, .max = 500}},
     {.name = "c",
      .domain = Choice{{std::string("a"), std::string("b"), std::string("c"), std::string("d")}}}});

double square(const Params& p) {
  const double n = static_cast<double>(std::get<std::int64_t>(*p.find("n")));
  return std::pow(number_at(p, "x") - 1, 2) + std::pow(std::log10(number_at(p, "y")) + 3, 2) +
         std::pow((n - 60) / 100, 2) + (*p.find("c") == ParamValue(std::string("c")) ? 0 : 2);
}

TEST(Tpe, FindsMoreThanChance) {
  EXPECT_LT(mean_best("tpe", kSquare, 100, square),
            0.4 * mean_best("random", kSquare, 100, square));
}

/// Each parameter alone tells nothing: good points lie along the diagonal.
TEST(Tpe, SeesParametersTogether) {
  const Space space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "y", .domain = FloatRange{.min = 0, .max = 1}}});
  double apart = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto sampler = make("tpe", space, seed);
    const auto points = make("sobol", space, seed);
    for (std::uint64_t i = 0; i < 128; ++i) {
      const Params p = points->propose(i).value();
      sampler->created(i, p);
      sampler->reported(i, 1, Score(std::abs(number_at(p, "x") - number_at(p, "y"))));
      sampler->ended(i, TrialState::complete);
    }
    for (std::uint64_t i = 128; i < 148; ++i) {
      const Params p = sampler->propose(i).value();
      apart += std::abs(number_at(p, "x") - number_at(p, "y")) / 100;
    }
  }
  EXPECT_LT(apart, 0.15) << "a third by chance";
}

TEST(Tpe, EightAtATimeLoseLittle) {
  EXPECT_LT(mean_best("tpe", kSquare, 100, square, 8),
            0.6 * mean_best("random", kSquare, 100, square));
}

TEST(Tpe, DrawsHalfAsManyCandidatesBesideTrialsOfWhichNothingIsKnown) {
  enum class Running : std::uint8_t { none, silent, reporting };
  const auto proposals = [&](std::int64_t candidates, Running running) {
    const Params options{{"startup", std::int64_t{10}}, {"candidates", candidates}};
    auto sampler = make_sampler("tpe", {.space = kSquare, .seed = 3, .options = options});
    const auto points = make("random", kSquare, 3);
    for (std::uint64_t i = 0; i < (running == Running::none ? 40 : 47); ++i) {
      const Params p = points->propose(i).value();
      sampler->created(i, p);
      if (i >= 40 && running == Running::silent) continue;
      sampler->reported(i, 1, Score(square(p)));
      if (i < 40) sampler->ended(i, TrialState::complete);
    }
    std::vector<Params> made;
    for (std::uint64_t ordinal = 100; ordinal < 120; ++ordinal)
      made.push_back(sampler->propose(ordinal).value());
    return made;
  };
  EXPECT_EQ(proposals(24, Running::silent), proposals(12, Running::none));
  EXPECT_NE(proposals(24, Running::none), proposals(12, Running::none));
  EXPECT_NE(proposals(24, Running::reporting), proposals(12, Running::reporting));
}

TEST(Tpe, LearnsWithinEachBranch) {
  const Space space({{.name = "kind", .domain = Choice{{std::string("a"), std::string("b")}}},
                     {.name = "x",
                      .domain = FloatRange{.min = 0, .max = 1},
                      .when = {{"kind", {std::string("a")}}}},
                     {.name = "y",
                      .domain = FloatRange{.min = 0, .max = 1},
                      .when = {{"kind", {std::string("b")}}}}});
  int better = 0, near = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto sampler = make("tpe", space, seed);
    for (std::uint64_t i = 0; i < 60; ++i) {
      const Params p = sampler->propose(i).value();
      sampler->created(i, p);
      const double loss = p.contains("x") ? std::abs(number_at(p, "x") - 0.123)
                                          : 0.4 + std::abs(number_at(p, "y") - 0.9);
      sampler->reported(i, 1, Score(loss));
      sampler->ended(i, TrialState::complete);
      if (i < 30) continue;
      better += p.contains("x");
      near += loss < 0.1;
    }
  }
  EXPECT_GT(better, 240);  // of 300; chance: 150
  EXPECT_GT(near, 120);    // of 300; chance: 33
}

TEST(Tpe, KeepsAwayFromWhatFails) {
  const Space space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}}});
  auto sampler = make("tpe", space, 3);
  int failed = 0;
  for (std::uint64_t i = 0; i < 80; ++i) {
    const Params p = sampler->propose(i).value();
    sampler->created(i, p);
    const bool fails = number_at(p, "x") > 0.5;
    if (i >= 20) failed += fails;
    if (!fails) sampler->reported(i, 1, Score(0.1));
    sampler->ended(i, fails ? TrialState::failed : TrialState::complete);
  }
  EXPECT_LT(failed, 15);
}

TEST(Tpe, TrialsThatAreForgottenWhileTheyRunMayStillEnd) {
  constexpr std::uint64_t kTrials = 10'050;
  const Space space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}}});
  auto sampler = make("tpe", space, 1);
  Stream stream(1, "long");
  for (std::uint64_t i = 0; i < kTrials; ++i) sampler->created(i, {{"x", stream.uniform()}});
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    sampler->reported(i, 1, Score(static_cast<double>(i)));
    sampler->ended(i, TrialState::complete);
  }
  EXPECT_TRUE(space.contains(sampler->propose(kTrials).value()));
}

TEST(Tpe, AFiniteSpaceIsTriedWhole) {
  const Space space({{.name = "n", .domain = IntRange{.min = 1, .max = 30}}});
  auto sampler = make("tpe", space, 1);
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Params p = sampler->propose(i).value();
    sampler->created(i, p);
    sampler->reported(i, 1, Score(static_cast<double>(std::get<std::int64_t>(*p.find("n")))));
    sampler->ended(i, TrialState::complete);
  }
  EXPECT_FALSE(sampler->propose(30).has_value());
}

TEST(Tpe, StartsWithSobolsPoints) {
  auto tpe = make("tpe", kSquare, 5), sobol = make("sobol", kSquare, 5);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Params p = tpe->propose(i).value();
    EXPECT_EQ(p, sobol->propose(i).value());
    for (Sampler* sampler : {tpe.get(), sobol.get()}) {
      sampler->created(i, p);
      sampler->reported(i, 1, Score(0));
      sampler->ended(i, TrialState::complete);
    }
  }
  EXPECT_NE(tpe->propose(10).value(), sobol->propose(10).value());
}

TEST(Tpe, WaitsForHalfOfItsStart) {
  auto tpe = make("tpe", kSquare, 5), sobol = make("sobol", kSquare, 5);
  for (std::uint64_t i = 0; i < 12; ++i) {
    const Params p = sobol->propose(i).value();
    EXPECT_EQ(p, tpe->propose(i).value()) << i;
    for (Sampler* sampler : {tpe.get(), sobol.get()}) sampler->created(i, p);
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(tpe->propose(12).value(), sobol->propose(12).value()) << i;
    tpe->reported(i, 1, Score(static_cast<double>(i)));
    tpe->ended(i, TrialState::complete);
  }
  EXPECT_NE(tpe->propose(12).value(), sobol->propose(12).value());
}

}  // namespace
}  // namespace hpo
