// What a study's sampler is told of its trials.

#include "hpo/search/search.h"

#include <gtest/gtest.h>

namespace hpo {
namespace {

StudySpec study(const std::string& take) {
  return parse_study(
      "name: told\ncommand: [/bin/true, --x=$x]\nmethod: tpe\nmetric: {name: loss, "
      "goal: minimize, take: " +
          take + "}\nparameters: {x: {min: 0.0, max: 1.0}}\nlimits: {trials: 30}\n",
      "told.yaml", "/");
}

/// The point that a study proposes after thirty trials, each with a report of (x - 0.3)^2, a loss
/// below a half, and a second one: as good, or the worse the better the first one was.
Params proposal(const StudySpec& spec, bool turns) {
  Search search(spec);
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    const Params params = search.propose().value();
    const double x = std::get<double>(*params.find("x")), loss = (x - 0.3) * (x - 0.3);
    search.tell(trial, Created{.params = params, .inference_flops = 0, .parent = {}});
    search.tell(trial, Reported{.step = 1, .value = loss, .metrics = {{"loss", loss}}});
    const double last = turns ? 1 - loss : loss;
    search.tell(trial, Reported{.step = 2, .value = last, .metrics = {{"loss", last}}});
    search.tell(trial, Ended{});
  }
  return search.propose().value();
}

TEST(Search, ATrialIsWorthItsBestReportWhereTheStudyTakesThatElseItsLast) {
  const StudySpec best = study("best"), last = study("last");
  EXPECT_EQ(proposal(best, false), proposal(last, false));
  EXPECT_EQ(proposal(best, true), proposal(best, false));
  EXPECT_NE(proposal(last, true), proposal(last, false));
}

/// How many proposals a study makes that knows the point x = 2 of an earlier one.
std::size_t proposals(const std::string& method, TrialState state) {
  const StudySpec spec = parse_study(
      "name: told\ncommand: [/bin/true, --x=$x]\nmethod: " + method +
          "\nmetric: {name: loss, goal: minimize}\nparameters: {x: {values: [1, 2, 3]}}\n",
      "told.yaml", "/");
  const Params point{{"x", std::int64_t{2}}};
  Search search(spec, {{.params = point, .value = 1.0, .step = 1, .state = state, .metrics = {}}});
  std::size_t count = 0;
  bool has_point = false;
  for (; const auto params = search.propose(); ++count) {
    has_point = has_point || *params == point;
    search.tell(count, Created{.params = *params, .inference_flops = 0, .parent = {}});
    search.tell(count, Ended{});
  }
  EXPECT_EQ(has_point, state == TrialState::failed) << method;
  return count;
}

TEST(Search, AFailedPointOfAnEarlierStudyIsNotKnown) {
  for (const char* method : {"grid", "random", "sobol", "tpe"}) {
    EXPECT_EQ(proposals(method, TrialState::complete), 2U) << method;
    EXPECT_EQ(proposals(method, TrialState::stopped), 2U) << method;
    EXPECT_EQ(proposals(method, TrialState::failed), 3U) << method;
  }
}

}  // namespace
}  // namespace hpo
