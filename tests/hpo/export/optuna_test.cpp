#include "hpo/export/optuna.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using nlohmann::json;

TEST(ExportOptuna, ConstraintsAreWhatATrialIsBeyondEachBound) {
  const support::TempFolder folder;
  EventLog log(folder.path());
  StudyFacts facts = sample::facts();
  facts.objective.subject_to = {{.metric = "weights", .max = 100},
                                {.metric = "train.loss", .min = 0.25, .max = 1}};
  log.begin(facts);
  log.replay(sample::no_events);
  for (std::uint64_t trial = 0; trial < 2; ++trial) {
    log.append(sample::created(trial, 0.1));
    Event report = sample::reported(trial, 1, 0.5);
    std::get<Reported>(report.body)
        .metrics.emplace_back("weights", 50.0 + 100.0 * static_cast<double>(trial));
    log.append(report);
    log.append(sample::ended(trial, TrialState::complete));
  }
  log.append(sample::created(2, 0.1));
  log.commit();
  const Space space({{.name = "lr", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "optimizer", .domain = Constant{std::string("adam")}}});
  std::istringstream lines(optuna_journal(StudyReader(folder.path()), space));
  std::vector<json> constraints;
  std::string line;
  bool open = false;
  while (std::getline(lines, line)) {
    const json operation = json::parse(line);
    open = operation["op_code"] == 4 || (open && operation["op_code"] != 6);
    if (operation["op_code"] != 9) continue;
    EXPECT_TRUE(open) << "Optuna takes no attribute of a trial that has ended";
    EXPECT_EQ(operation["trial_id"], constraints.size());
    constraints.push_back(operation["system_attr"]["constraints"]);
  }
  EXPECT_EQ(constraints, (std::vector<json>{{0.0, 0.0}, {0.5, 0.0}}));
}

}  // namespace
}  // namespace hpo
