// What auto chooses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(Auto, IsGpForTwoHundredTrialsButForEveryEighthAndThenTpe) {
  const Space space({{.name = "x", .domain = FloatRange{}},
                     {.name = "w", .domain = Choice{{std::string("a"), std::string("b")}}}});
  const std::vector<bool> gp = agreement("gp", space, 205), tpe = agreement("tpe", space, 205);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_TRUE(i % 8 == 1 ? tpe[i] : gp[i]) << i;
  for (std::size_t i = 20; i < 200; ++i) EXPECT_FALSE(i % 8 == 1 ? gp[i] : tpe[i]) << i;
  for (std::size_t i = 200; i < 205; ++i) EXPECT_TRUE(tpe[i]) << i;
  EXPECT_FALSE(gp[204]);
}

TEST(Auto, IsTpeAloneWhereManyParametersAreFree) {
  for (const bool same : agreement("tpe", cube(31), 20)) EXPECT_TRUE(same);
}

/// What auto proposes in a study of `trials`, `slots` of them running at a time, told anew to a
/// fresh sampler once `cut` were created.
std::vector<std::string> searched(const Space& space, int trials, int slots, int cut = -1) {
  auto sampler = make("auto", space, 1);
  std::vector<Params> all;
  std::vector<std::string> texts;
  const auto end = [&](Sampler& told, int trial) {
    double loss = 0;
    for (const auto& [name, value] : all[static_cast<std::size_t>(trial)])
      loss += std::pow(number_of(value).value_or(0) - 0.3, 2) * (1 + static_cast<double>(name[1]));
    told.reported(static_cast<std::uint64_t>(trial), 1, Score(loss));
    told.ended(static_cast<std::uint64_t>(trial), TrialState::complete);
  };
  const auto begin = [&](Sampler& told, int trial) {
    told.created(static_cast<std::uint64_t>(trial), all[static_cast<std::size_t>(trial)]);
  };
  for (int i = 0; i < trials; ++i) {
    if (i >= slots) end(*sampler, i - slots);
    if (i == cut) {
      sampler = make("auto", space, 1);
      for (int j = 0; j < i; ++j) {
        if (j >= slots) end(*sampler, j - slots);
        begin(*sampler, j);
      }
      if (i >= slots) end(*sampler, i - slots);
    }
    all.push_back(sampler->propose(static_cast<std::uint64_t>(i)).value());
    texts.push_back(json_of(all.back()));
    begin(*sampler, i);
  }
  return texts;
}

TEST(Auto, GoesOnAsItWasBehindARestartOnEitherSideOfItsTurns) {
  for (const int slots : {1, 20}) {
    const std::vector<std::string> whole = searched(cube(3), 230, slots);
    for (const int cut : {150, 202, 225})
      EXPECT_EQ(searched(cube(3), 230, slots, cut), whole) << slots << " slots, cut at " << cut;
  }
}

TEST(Auto, ALongerStudyBeginsAsAShorterOne) {
  const std::vector<std::string> longer = searched(cube(3), 260, 5);
  const std::vector<std::string> shorter = searched(cube(3), 230, 5);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(Auto, FindsTheBottomOfAValleyOfNumbersWithManyTrials) {
  const Loss valley = [](const Params& params) {
    std::vector<double> x;
    for (const auto& [name, value] : params) x.push_back(number_of(value).value());
    double loss = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double a = 4 * x[i] - 2, b = 4 * x[i + 1] - 2;
      loss += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return loss;
  };
  const double chosen = best_of("auto", cube(5), 1, 1500, valley);
  EXPECT_LT(10 * chosen, best_of("tpe", cube(5), 1, 1500, valley));
  EXPECT_LT(best_of("auto", cube(5), 1, 1500, valley, 40),
            best_of("tpe", cube(5), 1, 1500, valley, 40));
}

TEST(Auto, StaysWithTpeWhereWordsOrFewValuesAreFree) {
  std::vector<Parameter> words = cube(2).parameters(), few = words, conditional = words;
  words.push_back({.name = "w", .domain = Choice{{std::string("a"), std::string("b")}}});
  few.push_back({.name = "n", .domain = IntRange{1, 7}});
  conditional.push_back({.name = "k", .domain = IntRange{1, 100}});
  conditional.push_back({.name = "c", .domain = FloatRange{}, .when = {{"k", {std::int64_t{3}}}}});
  for (const auto& parameters : {words, few, conditional}) {
    const std::vector<bool> tpe = agreement("tpe", Space(parameters), 212);
    for (std::size_t i = 200; i < tpe.size(); ++i) EXPECT_TRUE(tpe[i]) << i;
  }
  std::vector<Parameter> many = cube(2).parameters();
  many.push_back({.name = "n", .domain = IntRange{1, 8}});
  const std::vector<bool> is_tpe = agreement("tpe", Space(many), 212);
  for (std::size_t i = 200; i < is_tpe.size(); ++i) EXPECT_FALSE(is_tpe[i]) << i;
}

TEST(Auto, BreedsAFrontOfSeveralMetricsWithManyTrials) {
  std::vector<Parameter> parameters = cube(2).parameters();
  parameters.push_back({.name = "w", .domain = Choice{{std::string("a"), std::string("b")}}});
  const Space space(parameters);
  auto chosen = make("auto", space, 1, 2), tpe = make("tpe", space, 1, 2),
       nsga2 = make("nsga2", space, 1, 2);
  for (std::uint64_t i = 0; i < 230; ++i) {
    const Params params = chosen->propose(i).value();
    EXPECT_EQ(params, (i < 200 ? tpe : nsga2)->propose(i).value()) << i;
    for (Sampler* sampler : {chosen.get(), tpe.get(), nsga2.get()}) {
      sampler->created(i, params);
      const double loss = std::sin(static_cast<double>(i));
      sampler->reported(i, 1, Score(loss, 0, {std::cos(3 * loss)}));
      sampler->ended(i, TrialState::complete);
    }
  }
}

TEST(Auto, ProposesNoPointOfBeforeItsTurn) {
  const Space space({{.name = "n", .domain = IntRange{1, 260}}});
  std::vector<std::string> texts = searched(space, 250, 1);
  std::ranges::sort(texts);
  EXPECT_TRUE(std::ranges::adjacent_find(texts) == texts.end());
}

TEST(Auto, SaysWhy) {
  const auto why = [](const Space& space, std::optional<std::int64_t> trials = {},
                      std::int64_t parallel = 0, std::size_t metrics = 1) {
    return sampler_reason("auto", space,
                          {.metrics = metrics, .trials = trials, .parallel = parallel});
  };
  const std::string first = "gp, and tpe for every eighth trial, ";
  EXPECT_EQ(why(cube(3), 60, 8),
            first + "because limits.trials is 60 and 3 parameters are free, at most 30");
  EXPECT_EQ(why(cube(3), 200, 8),
            first + "because limits.trials is 200 and 3 parameters are free, at most 30");
  const std::string behind = first + "for the first 200 trials, then ";
  EXPECT_EQ(why(cube(3), 201, 8),
            behind +
                "cmaes, because all free parameters (3) are numbers and parallel is 8, at "
                "most 8");
  EXPECT_EQ(why(cube(3), {}, 9),
            behind +
                "cmaes and tpe in turn, because all free parameters (3) are numbers and "
                "parallel is 9, more than 8");
  EXPECT_EQ(why(cube(3)),
            behind +
                "cmaes, with tpe in turn while more than 8 trials run, because all free "
                "parameters (3) are numbers");
  EXPECT_EQ(why(spaces::conditional(), 1000, 8).substr(0, behind.size() + 40),
            behind + "tpe, because not all free parameters (2)");
  EXPECT_EQ(why(cube(31), 1000, 8),
            "tpe alone, because 31 parameters are free, more than the 30 that gp is good for");
  EXPECT_EQ(why(cube(31), 1000, 8, 2),
            "tpe for the first 200 trials, then nsga2, because 2 metrics are searched for and no "
            "parameter is conditional");
  EXPECT_EQ(why(spaces::conditional(), 1000, 8, 2),
            "tpe, because 2 metrics are searched for and parameters are conditional");
  EXPECT_EQ(why(cube(3), 200, 8, 3),
            "tpe, because 3 metrics are searched for and limits.trials is 200, at most 200");
  EXPECT_EQ(sampler_reason("tpe", cube(31)), "");
}

}  // namespace
}  // namespace hpo
