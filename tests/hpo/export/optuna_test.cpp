#include "hpo/export/optuna.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/text.h"
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
  EXPECT_EQ(constraints, (std::vector<json>{{-0.5, -0.5}, {0.5, -0.5}}));
}

/// What Optuna reads as intermediate values of trial 0, by step.
std::map<int, double> reports_in(const std::string& journal) {
  std::map<int, double> reports;
  std::istringstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    const json operation = json::parse(line);
    if (operation["op_code"] == 7)
      reports[operation["step"].get<int>()] = operation["intermediate_value"].get<double>();
  }
  return reports;
}

TEST(ExportOptuna, AValueIsNoReport) {
  const Space space({{.name = "lr", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "optimizer", .domain = Constant{std::string("adam")}}});
  const auto exported = [&](const std::vector<Event>& events, bool asked) {
    const support::TempFolder folder;
    EventLog log(folder.path());
    log.begin(sample::facts());
    log.replay(sample::no_events);
    for (const Event& event : events) log.append(event);
    log.commit();
    return reports_in(optuna_journal(StudyReader(folder.path()), space, asked));
  };
  const auto at = [](double vtime, Event event) {
    event.vtime = vtime;
    return event;
  };
  using Reports = std::map<int, double>;
  const Event created = at(0, sample::created(0, 0.1));
  const Event first = at(1, sample::reported(0, 1, 0.75)),
              second = at(2, sample::reported(0, 2, 0.5)),
              told = at(3, sample::reported(0, 2, 0.25));
  const auto end = [&](double vtime) { return at(vtime, sample::ended(0, TrialState::complete)); };
  EXPECT_EQ(exported({created, first, second, told, end(3)}, true), (Reports{{1, 0.75}, {2, 0.5}}));
  EXPECT_EQ(exported({created, first, second, told, end(4)}, true), (Reports{{1, 0.75}, {2, 0.5}}));
  EXPECT_EQ(exported({created, first, end(1)}, true), Reports{});
  EXPECT_EQ(exported({created, first, end(2)}, true), (Reports{{1, 0.75}}));
  EXPECT_EQ(exported({created, first, end(1)}, false), (Reports{{1, 0.75}}))
      << "where we run the trials, the last report is one";
  const Event again = at(3, {.vtime = 3, .trial = 0, .body = Retried{Cause::lost, ""}});
  EXPECT_EQ(exported({created, first, again, at(4, sample::reported(0, 1, 0.5)), end(5)}, false),
            (Reports{{1, 0.5}}))
      << "of several attempts the last";
}

TEST(ExportOptuna, WhatHasNoNumberForEachMetricIsNoResult) {
  const double none = std::nan("");
  struct Case {
    TrialState state;
    double accuracy;
    std::optional<double> size;
    int expected;
    json values;
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Case cases[]{
      {TrialState::complete, 0.5, 1, 1, {0.5, 1.0}},
      {TrialState::complete, 0.5, none, 3, nullptr},
      {TrialState::complete, none, 1, 3, nullptr},
      {TrialState::complete, 0.5, std::nullopt, 3, nullptr},
      {TrialState::complete, 0.5, kInf, 1, "[0.5, Infinity]"},
      {TrialState::stopped, 0.5, none, 2, nullptr},
      {TrialState::stopped, 0.5, 1, 2, {0.5, 1.0}},
  };
  const support::TempFolder folder;
  EventLog log(folder.path());
  StudyFacts facts = sample::facts();
  facts.objective.others = {{.name = "size", .maximize = false}};
  log.begin(facts);
  log.replay(sample::no_events);
  std::uint64_t trial = 0;
  for (const Case& one : cases) {
    log.append(sample::created(trial, 0.1));
    Event report = sample::reported(trial, 1, one.accuracy);
    if (one.size) std::get<Reported>(report.body).metrics.emplace_back("size", *one.size);
    log.append(report);
    log.append(sample::ended(trial++, one.state));
  }
  log.commit();
  const Space space({{.name = "lr", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "optimizer", .domain = Constant{std::string("adam")}}});
  std::istringstream lines(optuna_journal(StudyReader(folder.path()), space));
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"op_code\": 6") == line.npos) continue;
    const Case& one = cases[at++];
    EXPECT_NE(line.find(base::cat("\"state\": ", one.expected, ",")), line.npos) << line;
    if (one.values.is_string())
      EXPECT_NE(line.find(one.values.get<std::string>()), line.npos) << line;
    else
      EXPECT_EQ(json::parse(line)["values"], one.values) << line;
  }
  EXPECT_EQ(at, std::size(cases));
}

TEST(ExportOptuna, TrialsTakeAsLongAsTheyTook) {
  const support::TempFolder folder;
  EventLog log(folder.path());
  log.begin(sample::facts());
  log.replay(sample::no_events);
  log.append(sample::created(0, 0.1));
  Event end = sample::ended(0, TrialState::complete);
  end.real.took = 3661.25;
  log.append(end);
  log.commit();
  const Space space({{.name = "lr", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "optimizer", .domain = Constant{std::string("adam")}}});
  const std::string journal = optuna_journal(StudyReader(folder.path()), space);
  const std::size_t start = journal.find("datetime_start\": \"") + 18,
                    complete = journal.find("datetime_complete\": \"") + 21;
  const auto seconds = [&](std::size_t at) {
    return 3600 * std::stod(journal.substr(at + 11, 2)) +
           60 * std::stod(journal.substr(at + 14, 2)) + std::stod(journal.substr(at + 17, 9));
  };
  EXPECT_EQ(journal.substr(complete + 19, 13), ".250000+00:00") << journal;
  EXPECT_NEAR(std::fmod(seconds(complete) - seconds(start) + 86400, 86400), 3661.25, 1.01);
}

}  // namespace
}  // namespace hpo
