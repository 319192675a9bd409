#include "hpo/export/plot_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using nlohmann::json;

/// Complete trials with the values 0.5, 0.75, 0.5 and none, a stopped one, and one that runs.
class Plots : public ::testing::Test {
 protected:
  Plots() {
    auto log = sample::open(folder.path());
    const double values[]{0.5, 0.75, 0.5, std::nan("")};
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
      log->append(sample::created(trial, 0.1));
      log->append(sample::reported(trial, 3, values[trial]));
      log->append(sample::ended(trial, TrialState::complete));
    }
    log->append({.trial = 4, .body = Created{.params = {{"lr", 1e-3}}}});
    log->append(sample::reported(4, 1, 0.9));
    log->append(sample::ended(4, TrialState::stopped));
    log->append(sample::created(5, 1e-7));
    log->commit();
  }

  support::TempFolder folder;
};

TEST_F(Plots, TheEdfCountsCompleteTrialsThatHaveANumber) {
  EXPECT_EQ(csv_of(edf_of(StudyReader(folder.path()))),
            "metric,value,share\n"
            "valid.accuracy,0.5,0.6666666666666666\n"
            "valid.accuracy,0.75,1\n");
}

TEST_F(Plots, SlicesHaveWhatEachTrialHadAlongAParameter) {
  EXPECT_EQ(csv_of(slices_of(StudyReader(folder.path()))),
            "parameter,value,metrics.valid.accuracy,trial,state\n"
            "lr,0.1,0.5,0,complete\n"
            "lr,0.1,0.75,1,complete\n"
            "lr,0.1,0.5,2,complete\n"
            "lr,0.1,nan,3,complete\n"
            "lr,0.001,0.9,4,stopped\n"
            "optimizer,adam,0.5,0,complete\n"
            "optimizer,adam,0.75,1,complete\n"
            "optimizer,adam,0.5,2,complete\n"
            "optimizer,adam,nan,3,complete\n");
}

TEST_F(Plots, JsonHasTheSameRows) {
  const StudyReader study(folder.path());
  const json edf = json::parse(json_of(edf_of(study)));
  EXPECT_EQ(edf[1], json::parse(R"({"metric": "valid.accuracy", "value": 0.75, "share": 1.0})"));
  const json slices = json::parse(json_of(slices_of(study)));
  EXPECT_EQ(slices.size(), 9U);
  EXPECT_EQ(slices[3]["metrics.valid.accuracy"], "nan");
  EXPECT_EQ(slices[4]["trial"], 4);
}

TEST(PlotData, AParametersFloatShowsThatItIsOne) {
  const support::TempFolder folder;
  auto log = sample::open(folder.path());
  log->append(sample::created(0, 1));
  log->append(sample::reported(0, 1, 2));
  log->append(sample::ended(0, TrialState::complete));
  log->commit();
  const PlotData data = slices_of(StudyReader(folder.path()));
  EXPECT_NE(csv_of(data).find("lr,1.0,2,0,complete\n"), std::string::npos) << csv_of(data);
  EXPECT_NE(json_of(data).find("\"value\": 1.0, \"metrics.valid.accuracy\": 2,"), std::string::npos)
      << json_of(data);
}

TEST(PlotsOfSeveralMetrics, HaveOneDistributionEachWithoutWhatBreaksABound) {
  const support::TempFolder folder;
  EventLog log(folder.path());
  StudyFacts facts = sample::facts();
  facts.objective.others = {{.name = "weights"}};
  facts.objective.subject_to = {{.metric = "weights", .max = 100}};
  log.begin(facts);
  log.replay(sample::no_events);
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    log.append(sample::created(trial, 0.1));
    Event report = sample::reported(trial, 1, 0.25 * static_cast<double>(trial));
    std::get<Reported>(report.body)
        .metrics.emplace_back("weights", 60.0 * static_cast<double>(trial));
    log.append(report);
    log.append(sample::ended(trial, TrialState::complete));
  }
  log.commit();
  EXPECT_EQ(csv_of(edf_of(StudyReader(folder.path()))),
            "metric,value,share\n"
            "valid.accuracy,0,0.5\n"
            "valid.accuracy,0.25,1\n"
            "weights,0,0.5\n"
            "weights,60,1\n");
}

}  // namespace
}  // namespace hpo
