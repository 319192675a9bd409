// Members of a population that really train, and take over each other's networks.

#include <algorithm>
#include <filesystem>
#include <set>

#include "hpo/driver/networks/rounds.h"
#include "hpo/log/trial_table.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

constexpr const char* kReshape =
    "reshape: [{widen: {layer: fc1, by: 3}}, {shrink: {layer: fc1, by: 2}}]";

class PopulationTraining : public SmallStudy {
 protected:
  [[nodiscard]] StudySpec population(const std::string& more = "", const std::string& fields = "",
                                     const std::string& lr = "{min: 1e-3, max: 1, scale: log}") {
    return parse_study(
        base::cat("name: small\ndata: {csv: rows.csv, target: kind}\n"
                  "network: [dense: {name: fc1, units: $width}]\n"
                  "train: {optimizer: {sgd: {lr: $lr, momentum: $momentum}}, epochs: 4}\n"
                  "method: {type: pbt, members: 4, resample: 0.5",
                  fields.empty() ? "" : ", ", fields,
                  "}\nparallel: 2\n"
                  "parameters: {width: {type: int, min: 4, max: 12}, lr: ",
                  lr, ", momentum: {values: [0.0, 0.5, 0.9]}}\n", more),
        "small.yaml", folder_.path().string());
  }

  void forget() const { std::filesystem::remove_all(run()), std::filesystem::remove_all(store()); }
  [[nodiscard]] std::string model() const { return base::read_file(run() / "best.safetensors"); }

  [[nodiscard]] TrialTable table() const {
    TrialTable table(StudyReader(run()).objective());
    for (const EventRow& row : StudyReader(run()).events())
      table.apply(
          {.vtime = row.vtime, .trial = row.trial, .body = body_of(row.kind, row.payload())});
    return table;
  }

  /// Everything that decides, in order.
  [[nodiscard]] std::vector<std::string> log() const {
    std::vector<std::string> texts;
    for (const EventRow& row : StudyReader(run()).events()) {
      if (row.kind == "opened" || row.kind == "noted" || row.kind == "exported") continue;
      texts.push_back(base::cat(base::format_double(row.vtime), " ", row.trial ? *row.trial : 99,
                                " ", row.kind, " ", row.payload()));
    }
    return texts;
  }

  /// Behind an undisturbed session: one that is killed after so many events and goes on, with its
  /// store and without, makes the same log and the same network.
  void expect_alike_when_killed(const StudySpec& file, const std::vector<int>& moments) {
    const auto expected = log();
    const std::string written = model();
    for (const bool keeps_store : {true, false}) {
      for (const int after : moments) {
        forget();
        Stopper stopper(after);
        ASSERT_EQ(session(file, "a", stopper).end, DriverEnd::interrupted) << after;
        if (!keeps_store) std::filesystem::remove_all(store());
        ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
        EXPECT_EQ(log(), expected) << after << keeps_store;
        EXPECT_EQ(model(), written) << after << keeps_store;
      }
    }
  }
};

TEST_F(PopulationTraining, OnlyWhatTrainingUsesIsExplored) {
  EXPECT_EQ(population().explorable, (std::vector<std::string>{"lr", "momentum"}));
  ASSERT_EQ(session(population(), "a").end, DriverEnd::finished);
  const TrialTable trials = table();
  std::size_t copies = 0;
  for (const TrialRow& row : trials.rows()) {
    EXPECT_EQ(row.state, TrialState::complete);
    const Lineage& lineage = trials.lineage(row.trial);
    for (const Stage& stage : lineage) {
      EXPECT_EQ(*stage.params.find("width"), *lineage[0].params.find("width"));
      EXPECT_TRUE(population().space.contains(stage.params));
    }
    EXPECT_EQ(row.parent.has_value(), lineage.size() > 1 && lineage.back().from > 0);
    copies += lineage.size() - 1;
  }
  EXPECT_EQ(events("replaced").size(), 3U);
  EXPECT_GE(copies, 3U);
}

TEST_F(PopulationTraining, CopiesAreReshapedAndTheBestNetworkHasTheShapeItGot) {
  // Both operations and none come up in some generation of one of these studies.
  std::set<std::string> changes;
  for (const char* seed : {"seed: 1\n", "seed: 2\n", "seed: 3\n", "seed: 4\n"}) {
    forget();
    ASSERT_EQ(session(population(seed, kReshape), "a").end, DriverEnd::finished);
    const TrialTable trials = table();
    for (const TrialRow& row : trials.rows()) {
      auto width = std::get<std::int64_t>(*row.params.find("width"));
      for (const Stage& stage : trials.lineage(row.trial)) {
        for (const Adapted& round : stage.rounds) {
          changes.insert(round.accepted().change);
          width += round.accepted().change.starts_with("widen") ? 3 : -2;
        }
      }
      EXPECT_EQ(row.inference_flops, static_cast<double>(2 * (3 + 2) * width)) << row.trial;
      const bool written =
          model().find(base::cat("\"shape\":[3,", width, "]")) != std::string::npos;
      EXPECT_TRUE(written || row.trial != trials.best()->trial) << model().substr(8, 400);
    }
  }
  EXPECT_EQ(changes.size(), 2U);
}

TEST_F(PopulationTraining, AKilledStudyGoesOnToTheSameBits) {
  const StudySpec file = population("", kReshape);
  (void)session(file, "a");
  expect_alike_when_killed(file, {1, 4, 5, 8, 11, 15});
}

TEST_F(PopulationTraining, TheBestNetworkIsGrownAgainFromItsLineage) {
  const StudySpec file = population("seed: 2\n", kReshape);
  (void)session(file, "a");
  const std::string written = model();
  std::filesystem::remove_all(store());
  std::filesystem::remove(run() / "best.safetensors");
  const Session again = session(file, "a");
  EXPECT_EQ(model(), written);
  EXPECT_GE(again.epochs, 4);
}

TEST_F(PopulationTraining, WhatIsKeptIsNotTrainedAgain) {
  const StudySpec file = population("", kReshape);
  const std::int64_t whole = session(file, "a").epochs;
  EXPECT_EQ(whole, 16);
  forget();
  Stopper stopper(9);
  const std::int64_t first = session(file, "a", stopper).epochs;
  EXPECT_EQ(first + session(file, "a").epochs, whole);
}

/// A population of which the loss of about half becomes infinite; members may be replaced every so
/// many epochs.
class DivergingPopulation : public PopulationTraining {
 protected:
  [[nodiscard]] StudySpec diverging(int every, const std::string& more = "") {
    std::string text =
        resolved_yaml(population("seed: 3\n" + more, base::cat("quantile: 0.5, every: ", every),
                                 "{min: 1e-3, max: 1e4, scale: log}"));
    const std::size_t at = text.find("target: kind");
    return parse_study(
        text.replace(at, 12, "target: c\n  ignore: [kind]").erase(text.find("  ignore: []"), 13),
        "small.yaml", folder_.path().string());
  }
};

TEST_F(DivergingPopulation, TakesOverOtherNetworks) {
  (void)session(diverging(1, "subject_to: {valid.latency: 10}\n"), "a");
  bool diverged = false;
  for (const std::string& report : events("reported")) {
    const bool bad = report.find("\"value\": \"nan\"") != std::string::npos;
    EXPECT_EQ(report.find("\"valid.latency\": \"nan\"") != std::string::npos, bad) << report;
    diverged = diverged || bad;
  }
  EXPECT_TRUE(diverged);
  for (const EventRow& row : StudyReader(run()).events()) {
    if (row.kind != "replaced") continue;
    const auto event = std::get<Replaced>(body_of(row.kind, row.payload()));
    EXPECT_NE(event.source, *row.trial);
  }
  EXPECT_GT(StudyReader(run()).counts().complete, 0);
}

TEST_F(DivergingPopulation, WaitsForItsReplacementAcrossBoundaries) {
  const StudySpec file = diverging(3);
  (void)session(file, "a");
  std::set<std::uint64_t> diverged, replaced;
  for (const EventRow& row : StudyReader(run()).events()) {
    if (row.kind == "replaced") replaced.insert(*row.trial);
    if (row.kind == "reported" && row.payload().find("\"value\": \"nan\"") != std::string::npos &&
        row.payload().find("\"step\": 1,") != std::string::npos)
      diverged.insert(*row.trial);
  }
  EXPECT_FALSE(diverged.empty());
  EXPECT_TRUE(std::ranges::includes(replaced, diverged));
  expect_alike_when_killed(file, {2, 4, 6, 8, 10, 12, 14});
}

TEST_F(PopulationTraining, ACopyThatHasNoRoomIsLeftAsItIs) {
  const StudySpec file =
      population("limits: {weights: 70}\n", "reshape: [{widen: {layer: fc1, by: 200}}]");
  (void)session(file, "a");
  EXPECT_TRUE(events("adapted").empty());
  ASSERT_FALSE(events("noted").empty());
  EXPECT_NE(events("noted")[0].find("but limits.weights is 70"), std::string::npos);
}

}  // namespace
}  // namespace hpo
