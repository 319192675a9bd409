// What rules count in, besides epochs: steps of the optimizer, and seconds.

#include <algorithm>

#include "hpo/study/real_time.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class RuleUnits : public SmallStudy {
 protected:
  /// 72 rows in batches of 32: three steps an epoch.
  [[nodiscard]] StudySpec counting(const std::string& rule) const {
    return parse_study(base::cat("name: small\ndata: {csv: rows.csv, target: kind}\n"
                                 "network: [dense: {units: $width}]\n"
                                 "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 6}\n"
                                 "method: random\nparallel: 2\nearly_stop: ",
                                 rule,
                                 "\nparameters: {width: {type: int, min: 4, max: 400}}\n"
                                 "limits: {trials: 8}\n"),
                       "small.yaml", folder_.path().string());
  }

  struct Used {
    std::int64_t epochs = 0;
    double used = 0;
  };
  [[nodiscard]] std::vector<Used> used_by(std::uint64_t trial) const {
    std::vector<Used> all;
    for (const EventRow& event : StudyReader(run()).events()) {
      if (event.kind != "reported" || event.trial != trial) continue;
      const auto report = std::get<Reported>(body_of(event.kind, event.payload()));
      all.push_back({report.epochs, report.used});
    }
    return all;
  }
};

TEST_F(RuleUnits, StepsAreThoseOfTheOptimizer) {
  ASSERT_EQ(session(counting("{type: asha, min: 6, eta: 2, unit: steps}"), "a").end,
            DriverEnd::finished);
  const auto trials = StudyReader(run()).trials();
  EXPECT_TRUE(std::ranges::any_of(
      trials, [](const TrialRow& row) { return row.state == TrialState::stopped; }));
  for (const TrialRow& trial : trials) {
    for (const Used& report : used_by(trial.trial))
      EXPECT_EQ(report.used, 3.0 * static_cast<double>(report.epochs));
    // Rungs at 6 and 12 steps are the ends of epochs 2 and 4.
    if (trial.state == TrialState::stopped) {
      EXPECT_TRUE(trial.epochs == 2 || trial.epochs == 4) << trial.epochs;
    }
  }
}

TEST_F(RuleUnits, SecondsGoOnBehindARestart) {
  const StudySpec spec = counting("{type: median, startup: 2, unit: seconds}");
  EXPECT_TRUE(std::ranges::count(real_time_keys(spec), "early_stop.unit") == 1);
  Stopper stopper(7);
  ASSERT_EQ(session(spec, "a", stopper).end, DriverEnd::interrupted);
  ASSERT_EQ(session(spec, "a").end, DriverEnd::finished);
  for (std::uint64_t trial = 0; trial < 8; ++trial) {
    const auto used = used_by(trial);
    ASSERT_FALSE(used.empty());
    EXPECT_GT(used.front().used, 0);
    EXPECT_TRUE(std::ranges::is_sorted(used, {}, &Used::used)) << trial;
  }
}

TEST_F(RuleUnits, RulesTogetherStopWhatEitherStops) {
  ASSERT_EQ(session(counting("{any_of: [{type: threshold, worst: 1.01}, asha]}"), "a").end,
            DriverEnd::finished);
  EXPECT_EQ(StudyReader(run()).counts(), (TrialCounts{.stopped = 8})) << "no accuracy is above 1";
}

}  // namespace
}  // namespace hpo
