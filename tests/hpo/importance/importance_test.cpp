#include "hpo/importance/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "hpo/space/random.h"

namespace hpo {
namespace {

std::map<std::string, double> shares(const Space& space, std::span<const RankedTrial> outcomes) {
  std::map<std::string, double> result;
  for (const Importance& importance : importance_of(space, outcomes))
    result[importance.parameter] = importance.share;
  return result;
}

/// Random points of the space; `loss` says what each is worth.
template <class Loss>
std::vector<RankedTrial> draw(const Space& space, int count, Loss loss) {
  Stream stream(3, "importance test");
  std::vector<RankedTrial> outcomes;
  std::vector<double> place(space.size());
  for (int i = 0; i < count; ++i) {
    for (double& u : place) u = stream.uniform();
    outcomes.push_back({.params = space.from_unit(place)});
    outcomes.back().loss = loss(outcomes.back().params);
  }
  return outcomes;
}

double real(const Params& params, const char* name) { return std::get<double>(*params.find(name)); }

const Space kSquare({{"x", FloatRange{-5, 5}, {}},
                     {"y", FloatRange{-5, 5}, {}},
                     {"z", FloatRange{1e-4, 1, Scale::log, 0}, {}},
                     {"fixed", Constant{true}, {}}});

TEST(Importance, FindsWhatDecides) {
  const auto outcomes = draw(kSquare, 300, [](const Params& p) {
    return real(p, "x") * real(p, "x") + 0.1 * real(p, "y") * real(p, "y");
  });
  const std::vector<Importance> found = importance_of(kSquare, outcomes);
  ASSERT_EQ(found.size(), 3U) << "what never changes is left out";
  EXPECT_EQ(found[0].parameter, "x");
  EXPECT_EQ(found[1].parameter, "y");
  EXPECT_GT(found[0].share, 0.7);
  EXPECT_LT(found[2].share, 0.05);
  EXPECT_NEAR(found[0].share + found[1].share + found[2].share, 1, 1e-12);
  EXPECT_EQ(found[0].trials, 300U);
}

TEST(Importance, TheUnitOfTheLossPlaysNoPart) {
  const auto plain = draw(kSquare, 80, [](const Params& p) { return real(p, "x"); });
  const auto bent = draw(kSquare, 80, [](const Params& p) { return std::exp(real(p, "x")) - 9; });
  EXPECT_EQ(shares(kSquare, plain), shares(kSquare, bent));
}

TEST(Importance, NothingIsSaidOfFewTrialsAndAllIsEqualWhereNothingDecides) {
  const auto same = draw(kSquare, 40, [](const Params&) { return 1.0; });
  for (const auto& [name, share] : shares(kSquare, same)) EXPECT_DOUBLE_EQ(share, 1.0 / 3) << name;
  EXPECT_TRUE(importance_of(kSquare, std::span(same).first(kFewestOutcomes - 1)).empty());
  EXPECT_EQ(importance_of(kSquare, std::span(same).first(kFewestOutcomes)).size(), 3U);
}

TEST(Importance, NoNumbersAndStoppedTrialsAreNotAmongTheBest) {
  auto outcomes = draw(kSquare, 100, [](const Params& p) { return real(p, "x"); });
  const auto before = shares(kSquare, outcomes);
  for (RankedTrial& outcome : outcomes) {
    if (real(outcome.params, "x") > 0) outcome.loss = NAN;
  }
  EXPECT_EQ(shares(kSquare, outcomes), before);
  for (RankedTrial& outcome : outcomes) {
    if (real(outcome.params, "x") < 0) continue;
    outcome = {.params = outcome.params, .loss = -1e9, .step = 1, .complete = false};
  }
  EXPECT_EQ(shares(kSquare, outcomes), before);
}

TEST(Importance, WhatBreaksABoundIsNotAmongTheBest) {
  // By the loss alone x decides; but only where y is large a trial breaks no bound.
  auto outcomes = draw(kSquare, 300, [](const Params& p) { return real(p, "x"); });
  ASSERT_GT(shares(kSquare, outcomes)["x"], 0.9);
  for (RankedTrial& outcome : outcomes)
    outcome.violation = std::max(0.0, 4.8 - real(outcome.params, "y"));
  const auto bounded = shares(kSquare, outcomes);
  EXPECT_GT(bounded.at("y"), 0.8) << "few are feasible: these alone are the best";
  for (RankedTrial& outcome : outcomes) outcome.violation = 1 + std::abs(real(outcome.params, "y"));
  EXPECT_GT(shares(kSquare, outcomes).at("y"), 0.8) << "where none is, those that come nearest";
}

TEST(Importance, AConditionalParameterCountsByTheTrialsThatHaveIt) {
  const std::string on = "on", off = "off";
  const Space space({{"switch", Choice{{on, off}}, {}},
                     {"x", FloatRange{0, 1}, {}},
                     {"inner", FloatRange{0, 1}, {{"switch", {on}}}}});
  const auto outcomes = draw(space, 400, [](const Params& p) {
    return p.contains("inner") ? real(p, "inner") : 0.5 + real(p, "x");
  });
  const std::vector<Importance> found = importance_of(space, outcomes);
  EXPECT_EQ(found[0].parameter, "inner");
  EXPECT_LT(found[0].trials, 250U);
  EXPECT_GT(found[0].trials, 150U);
  EXPECT_EQ(found[1].parameter, "switch");
}

Domain domain_from(const nlohmann::json& json) {
  const std::string kind = json["kind"];
  if (kind == "float")
    return FloatRange{json["low"], json["high"], json["log"] ? Scale::log : Scale::linear, 0};
  if (kind == "int") return IntRange{json["low"], json["high"]};
  Choice choice;
  for (const std::string word : json["choices"]) choice.values.emplace_back(word);
  return choice;
}

ParamValue value_from(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<double>();
}

TEST(Importance, AgreesWithOptuna) {
  std::ifstream file(std::string(TRELLIS_SOURCE_ROOT) + "/tests/golden/importance.json");
  const auto cases = nlohmann::json::parse(file);
  ASSERT_FALSE(cases.empty());
  for (const auto& golden : cases) {
    std::vector<Parameter> parameters;
    for (const auto& [name, domain] : golden["space"].items())
      parameters.push_back({name, domain_from(domain), {}});
    const Space space(parameters);
    std::vector<RankedTrial> outcomes;
    for (const auto& trial : golden["trials"]) {
      RankedTrial outcome{.params = {}, .loss = trial["loss"]};
      for (const auto& [name, value] : trial["params"].items())
        outcome.params.set(name, value_from(value));
      outcomes.push_back(outcome);
    }
    const auto ours = shares(space, outcomes);
    ASSERT_EQ(ours.size(), golden["importance"].size());
    for (const auto& [name, share] : golden["importance"].items())
      EXPECT_NEAR(ours.at(name), share.get<double>(), 1e-6) << golden["name"] << " " << name;
  }
}

}  // namespace
}  // namespace hpo
