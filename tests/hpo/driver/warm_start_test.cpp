// Trials of earlier studies that a search begins with.

#include "hpo/driver/warm_start.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hpo/driver/adopt.h"
#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

using Int = std::int64_t;

/// An earlier study of 20 trials over x and size, and one that starts from it.
class WarmStarts : public ::testing::Test {
 protected:
  WarmStarts() : earlier_(folder_.path() / "earlier"), later_(folder_.path() / "later") {
    std::filesystem::create_directories(earlier_);
    std::filesystem::create_directories(later_);
    sim::Work work(1);
    (void)sim::session(earlier_, sim::study(), work);
  }

  [[nodiscard]] StudySpec study(const std::string& parameters, const std::string& rest = "",
                                const std::string& metric = "{name: valid.loss, goal: minimize}") {
    return parse_study("command: [sh, $args]\nmetric: " + metric + "\nmethod: tpe\nparameters: " +
                           parameters + "\nwarm_start: earlier\norder: virtual\n" + rest,
                       "later.yaml", folder_.path().string());
  }

  [[nodiscard]] std::string refusal(const StudySpec& spec) const {
    try {
      (void)read_warm_starts(spec);
      return "";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::study);
      return error.what();
    }
  }

  support::TempFolder folder_;
  base::Path earlier_, later_;
};

TEST_F(WarmStarts, TrialsThatFitAreTakenWithTheirEnds) {
  const StudySpec same = study("{x: {min: 0.0, max: 1.0}, size: {min: 1, max: 9}}");
  const std::vector<WarmStart> starts = read_warm_starts(same);
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].fit.size(), 20U);
  EXPECT_EQ(text_of(starts[0]), "warm_start " + earlier_.string() + ": 20 of 20 trials fit");
  const std::vector<TrialRow> rows = StudyReader(earlier_).trials();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(starts[0].fit[i], (Known{.params = rows[i].params,
                                       .value = rows[i].value,
                                       .step = rows[i].step,
                                       .state = rows[i].state,
                                       .metrics = rows[i].metrics}));
  }
}

TEST_F(WarmStarts, OnlyWhatTheSpaceHasCounts) {
  // size is gone, x is narrower, and a float that was an int before.
  const auto fit = [&](const char* parameters) {
    return read_warm_starts(study(parameters)).at(0).fit;
  };
  const std::vector<Known> narrow = fit("{x: {min: 0.0, max: 0.5}}");
  EXPECT_GT(narrow.size(), 3U);
  EXPECT_LT(narrow.size(), 18U);
  for (const Known& known : narrow) {
    EXPECT_EQ(known.params.size(), 1U);
    EXPECT_LE(std::get<double>(*known.params.find("x")), 0.5);
  }
  EXPECT_EQ(fit("{size: {min: 0.5, max: 9.5}}").size(), 20U);
  EXPECT_TRUE(fit("{x: {min: 0.0, max: 1.0}, other: {min: 1, max: 2}}").empty());
  EXPECT_TRUE(fit("{x: {min: 2.0, max: 3.0}}").empty());
}

TEST_F(WarmStarts, WhatCanOnlyBeOneValueWasThatBefore) {
  const std::string x = "{x: {min: 0.0, max: 1.0}, ";
  for (const char* fixed : {"z: {value: 7}}", "z: {values: [7]}}", "z: {min: 7, max: 7}}",
                            "z: {min: 7, max: 7}, deep: {value: a, when: {z: 7}}}"}) {
    const std::vector<Known> known = read_warm_starts(study(x + fixed)).at(0).fit;
    ASSERT_EQ(known.size(), 20U) << fixed;
    EXPECT_EQ(*known[0].params.find("z"), ParamValue(Int{7})) << fixed;
  }
  // What the trial had is what it had.
  EXPECT_TRUE(read_warm_starts(study(x + "size: {value: 100}}")).at(0).fit.empty());
}

TEST_F(WarmStarts, AnotherMetricOrNoStudyIsRefusedWithItsPlace) {
  const std::string x = "{x: {min: 0.0, max: 1.0}}";
  EXPECT_EQ(refusal(study(x, "", "{name: valid.loss, goal: maximize}")),
            "later.yaml:5:13: warm_start is \"" + earlier_.string() +
                "\", a study of valid.loss (minimize), expected one of valid.loss (maximize)");
  const StudySpec fine = study(x);
  std::filesystem::remove_all(earlier_);
  EXPECT_EQ(refusal(fine), "later.yaml:5:13: warm_start is \"" + earlier_.string() +
                               "\", which holds no study, " +
                               "expected a study's folder such as runs/digits");
}

TEST_F(WarmStarts, TheSamplerProposesAsIfItHadRunThem) {
  const StudySpec spec = study("{x: {min: 0.0, max: 1.0}, size: {min: 1, max: 9}}");
  const std::vector<Known> known = read_warm_starts(spec)[0].fit;
  Search warm(spec, known), cold(spec), grown(spec);
  for (std::uint64_t i = 0; i < known.size(); ++i) {
    grown.tell(i, Created{.params = known[i].params, .inference_flops = 0, .parent = {}});
    if (known[i].value)
      grown.tell(i, Reported{.step = known[i].step, .value = *known[i].value, .metrics = {}});
    grown.tell(i, Ended{.state = known[i].state});
  }
  EXPECT_EQ(warm.created(), 0U);
  EXPECT_NE(warm.propose(), cold.propose());
  // Its own trials follow: the same history gives the same proposal, numbers apart.
  const Params next = warm.propose().value();
  for (Search* search : {&warm, &grown}) {
    const std::uint64_t trial = search->created();
    search->tell(trial, Created{.params = next, .inference_flops = 0, .parent = {}});
    search->tell(trial, Reported{.step = 9, .value = 0.25, .metrics = {}});
    search->tell(trial, Ended{.state = TrialState::complete});
  }
  EXPECT_TRUE(spec.space.contains(warm.propose().value()));
}

TEST_F(WarmStarts, TheLogHasThemWhateverBecomesOfTheOtherStudy) {
  const StudySpec spec = study("{x: {min: 0.0, max: 1.0}, size: {min: 1, max: 9}}");
  std::vector<Known> first;
  {
    EventLog log(later_);
    (void)adopt(log, spec, nullptr, later_);
    first = known_of(log);
    EXPECT_EQ(first.size(), 20U);
    log.replay([](const Event&) {});
    log.append({.vtime = 0, .trial = {}, .body = Noted{"begun"}});
    (void)log.commit();
  }
  std::filesystem::remove_all(earlier_);
  EventLog log(later_);
  (void)adopt(log, spec, nullptr, later_);
  EXPECT_EQ(known_of(log), first);
}

TEST_F(WarmStarts, AStudyThatWasKilledBeforeItsFirstEventReadsThemAgain) {
  const StudySpec spec = study("{x: {min: 0.0, max: 1.0}}");
  {
    EventLog log(later_);
    (void)adopt(log, spec, nullptr, later_);
  }
  EventLog log(later_);
  (void)adopt(log, spec, nullptr, later_);
  EXPECT_EQ(known_of(log).size(), 20U);
}

TEST(Known, EveryValueGoesThroughJsonUnchanged) {
  const std::vector<Known> known{
      {{{"x", 0.1}, {"kind", std::string("a \"b\"")}}, -INFINITY, 3, TrialState::complete},
      {{{"x", 1e-300}}, 0.1 + 0.2, 1, TrialState::stopped},
      {{}, std::nullopt, 0, TrialState::failed}};
  EXPECT_EQ(known_from_json(json_of(known)), known);
  EXPECT_THROW((void)known_from_json(R"([{"params": {}, "value": 1, "step": 1, "state": "lost"}])"),
               base::Error);
  EXPECT_THROW((void)known_from_json("[{}]"), base::Error);
}

}  // namespace
}  // namespace hpo
