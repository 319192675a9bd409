#include "hpo/export/lineage.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using nlohmann::json;

/// Trial 1 takes over the network of trial 0, made wider, and trial 0 takes over what came of it.
class Handing : public testing::Test {
 protected:
  Handing() {
    auto log = sample::open(folder_.path());
    log->append(sample::created(0, 0.1));
    log->append(sample::created(1, 0.2));
    log->append(paused(0, 2, 0.75));
    log->append(paused(1, 2, 0.5));
    log->append({.trial = 1, .body = Replaced{0, 2, {{"lr", 0.12}}, "[{\"widen\":{}}]"}});
    log->append({.trial = 0, .body = Resumed{}});
    log->append({.trial = 1, .body = Resumed{}});
    Adapted round{.grid = 1, .from = 2, .until = 2, .candidates = {}};
    round.candidates.push_back({.operations = "[]", .change = "widen fc1 by 8", .accepted = true});
    log->append({.trial = 1, .body = round});
    log->append(paused(1, 4, 0.9));
    log->append(paused(0, 4, 0.8));
    log->append({.trial = 0, .body = Replaced{1, 4, {{"lr", 0.14}}}});
    log->commit();
  }

  static Event paused(std::uint64_t trial, std::int64_t step, double value) {
    Event event = sample::reported(trial, step, value);
    std::get<Reported>(event.body).decision = Decision::pause;
    return event;
  }

  [[nodiscard]] json shown(std::uint64_t trial) const {
    const StudyReader study(folder_.path());
    return json::parse(show_json(study, study.trial(trial).value(), "{}"));
  }

  support::TempFolder folder_;
};

TEST_F(Handing, IsToldFromTheFirstNetworkOn) {
  const json trial = shown(0);
  EXPECT_EQ(trial["parent"], 1);
  EXPECT_EQ(trial["params"], json::parse(R"({"lr": 0.14})"));
  EXPECT_EQ(trial["lineage"], json::parse(R"([
    {"trial": 0, "epoch": 0, "params": {"lr": 0.1, "optimizer": "adam"}, "change": null,
     "value": 0.75, "before": null},
    {"trial": 1, "epoch": 2, "params": {"lr": 0.12}, "change": "widen fc1 by 8",
     "value": 0.9, "before": 0.5},
    {"trial": 0, "epoch": 4, "params": {"lr": 0.14}, "change": null,
     "value": null, "before": 0.8}])"));
}

TEST_F(Handing, WhatATrialWasBeforeIsNotInItsNetwork) {
  const json lineage = shown(1)["lineage"];
  ASSERT_EQ(lineage.size(), 2U);
  EXPECT_EQ(lineage[0]["trial"], 0);
  EXPECT_EQ(lineage[1]["value"], 0.9);
}

TEST_F(Handing, ParamsAndParentAreThoseOfNow) {
  const auto rows = StudyReader(folder_.path()).trials();
  EXPECT_EQ(rows[0].params, (Params{{"lr", 0.14}}));
  EXPECT_EQ(rows[1].parent, 0U);
  EXPECT_EQ(rows[0].state, TrialState::waiting);
}

}  // namespace
}  // namespace hpo
