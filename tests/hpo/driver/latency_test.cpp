// `valid.latency`: measured where a study names it, and what was logged of it stays.

#include <algorithm>
#include <cmath>

#include "hpo/study/real_time.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class Latency : public SmallStudy {
 protected:
  /// What the reports of the study, in the order of the log, say a row takes; none: nothing.
  [[nodiscard]] std::vector<double> logged() const {
    std::vector<double> all;
    for (const std::string& payload : events("reported")) {
      const auto report = std::get<Reported>(body_of("reported", payload));
      for (const auto& [name, value] : report.metrics) {
        if (name == "valid.latency") all.push_back(value);
      }
    }
    return all;
  }
  [[nodiscard]] std::vector<TrialRow> trials() const { return StudyReader(run()).trials(); }
  [[nodiscard]] double violation(const TrialRow& trial) const {
    return StudyReader(run()).objective().violation(trial.metrics);
  }
};

bool is_plausible(double seconds) { return seconds > 0 && seconds < 0.1; }

TEST_F(Latency, IsReportedWhereABoundNamesIt) {
  const StudySpec bounded = study("subject_to: {valid.latency: 10}");
  EXPECT_EQ(real_time_keys(bounded), std::vector<std::string>{"valid.latency"});
  ASSERT_EQ(session(bounded, "a").end, DriverEnd::finished);
  EXPECT_EQ(logged().size(), events("reported").size());
  EXPECT_TRUE(std::ranges::all_of(logged(), is_plausible));
  for (const TrialRow& trial : trials()) EXPECT_EQ(violation(trial), 0);
}

TEST_F(Latency, IsNowhereElse) {
  const StudySpec other = study("subject_to: {weights: 100000}");
  EXPECT_TRUE(real_time_keys(other).empty());
  ASSERT_EQ(session(other, "a").end, DriverEnd::finished);
  EXPECT_EQ(logged(), std::vector<double>{});
}

TEST_F(Latency, ANetworkThatTakesLongerBreaksItsBound) {
  ASSERT_EQ(session(study("subject_to: {valid.latency: 1e-12}"), "a").end, DriverEnd::finished);
  for (const TrialRow& trial : trials()) {
    const double seconds = metric_value(trial.metrics, "valid.latency");
    EXPECT_NEAR(violation(trial), (seconds - 1e-12) / 1e-12, 1);
  }
}

TEST_F(Latency, CanBeSearchedFor) {
  const StudySpec search = study("metric: [valid.accuracy, valid.latency]");
  EXPECT_EQ(search.others.at(0).goal, Goal::minimize);
  ASSERT_EQ(session(search, "a").end, DriverEnd::finished);
  EXPECT_EQ(logged().size(), events("reported").size());
}

TEST_F(Latency, WhatWasLoggedStaysBehindARestart) {
  const StudySpec bounded = study("subject_to: {valid.latency: 10}");
  Stopper stopper(8);
  ASSERT_EQ(session(bounded, "a", stopper).end, DriverEnd::interrupted);
  const std::vector<double> before = logged();
  ASSERT_GE(before.size(), 8U);
  ASSERT_EQ(session(bounded, "a").end, DriverEnd::finished);
  const std::vector<double> after = logged();
  ASSERT_EQ(after.size(), 18U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

TEST_F(Latency, NetworksThatGrowAreTimed) {
  const StudySpec growing = study(
      "adapt: {policy: schedule, at: {2: {widen: {layer: dense1, by: 3}}}}\n"
      "subject_to: {valid.latency: 10}");
  ASSERT_EQ(session(growing, "a").end, DriverEnd::finished);
  EXPECT_EQ(logged().size(), events("reported").size());
  EXPECT_TRUE(std::ranges::all_of(logged(), is_plausible));
}

}  // namespace
}  // namespace hpo
