// Half-done trials and the disk: what a run that was cut short finds again, and what it does when
// that is damaged.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>

#include "base/log.h"
#include "base/text.h"
#include "hpo/driver/sweep.h"
#include "hpo/export/export.h"
#include "hpo/log/event_log.h"
#include "runtime/loop.h"
#include "runtime/store.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

/// Asks the sweep to stop after so many reports.
struct CheckpointStopper : Observer {
  explicit CheckpointStopper(int reports) : left(reports) {}
  void trial_reported(const TrialRow&) override {
    if (--left == 0) interrupts = 1;
  }
  int left;
  std::atomic<int> interrupts{0};
};

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    std::string rows = "a,b,y\n";
    for (int i = 0; i < 90; ++i)
      rows += base::cat(i * 37 % 101, ",", i * 53 % 97, ",", i * 37 % 101 > i * 53 % 97 ? "p" : "q",
                        "\n");
    base::write_file_atomic(folder_ / "rows.csv", rows);
  }

  [[nodiscard]] StudySpec study(const std::string& name, const std::string& more = "",
                                int epochs = 300) const {
    return parse_study(
        base::cat("data: {csv: rows.csv, target: y}\n",
                  "network: [dense: {units: 32, activation: tanh}]\n",
                  "train: {optimizer: {type: adam, lr: $lr}, epochs: ", epochs, "}\nmethod: grid\n",
                  "parameters: {lr: {values: [0.01, 0.02, 0.03]}}\nparallel: 2\n", more),
        name + ".yaml", folder_.path().string(), {.name = name});
  }

  /// Stores differ by name, so that runs do not help each other. A run that is to be cut commits
  /// each event by itself: it hears of its reports one at a time, however fast it is.
  SweepResult run(const StudySpec& spec, Observer& observer,
                  const std::atomic<int>* interrupts = nullptr) const {
    return run_sweep(spec,
                     {.folder = folder_ / spec.name,
                      .store = folder_ / (spec.name + "-store"),
                      .engine = Engine::sequential,
                      .interrupts = interrupts,
                      .commit_delay = interrupts ? base::Duration{} : RunOptions{}.commit_delay},
                     observer);
  }

  [[nodiscard]] std::string table(const std::string& name) const {
    return export_csv(StudyReader(folder_ / name));
  }

  /// All events but sessions.
  [[nodiscard]] std::vector<std::string> log(const std::string& name) const {
    std::vector<std::string> events;
    for (const EventRow& event : StudyReader(folder_ / name).events()) {
      if (event.kind != "opened") events.push_back(event.payload());
    }
    return events;
  }

  /// Checkpoints of a trial as its reports name them, oldest first.
  [[nodiscard]] std::vector<base::Path> checkpoints(const std::string& name,
                                                    std::uint64_t trial) const {
    std::vector<base::Path> files;
    EventLog log(folder_ / name);
    log.replay([&](const Event& event) {
      const auto* report = std::get_if<Reported>(&event.body);
      if (report == nullptr || event.trial != trial) return;
      files.push_back(folder_ / (name + "-store") / report->checkpoint.substr(0, 2) /
                      report->checkpoint.substr(2));
    });
    return files;
  }

  support::TempFolder folder_;
};

void flip_last_byte(const base::Path& file) {
  std::string bytes = base::read_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(CheckpointTest, AFlippedByteInTheNewestIsNamedAndTheOneBeforeIsUsed) {
  Observer silent;
  run(study("whole"), silent);
  CheckpointStopper stopper(9);
  const SweepResult cut = run(study("cut"), stopper, &stopper.interrupts);
  ASSERT_EQ(cut.ending, Ending::interrupted);
  const auto files = checkpoints("cut", 0);
  ASSERT_GE(files.size(), 2U);
  flip_last_byte(files.back());

  std::vector<std::string> lines;
  base::set_log_sink([&](base::LogLevel, std::string_view line) { lines.emplace_back(line); });
  const SweepResult resumed = run(study("cut"), silent);
  base::set_log_sink({});
  EXPECT_EQ(resumed.ending, Ending::done);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find(files.back().string()), std::string::npos) << lines[0];
  EXPECT_EQ(table("cut"), table("whole"));
  EXPECT_LE(resumed.work.distinct_epochs, 3 * 300 + 1) << "one epoch again, from the one before";
}

/// The tensors of a model file, without its header.
std::string tensors(const base::Path& file) {
  const std::string bytes = base::read_file(file);
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  return bytes.substr(sizeof header + header);
}

TEST_F(CheckpointTest, AFlippedByteInAnAdaptingTrialsNewestChangesNoWeight) {
  Observer silent;
  for (const std::string adapt :
       {"{policy: race, length: 1, until: 6, factor: 1.5, price: 1e-9}",
        "{policy: schedule, at: {2: {widen: {layer: dense1, by: 4}}, 3: {shrink: {layer: dense1, "
        "by: 2}}}}"}) {
    const std::string more = base::cat("early_stop: none\nadapt: ", adapt, "\n");
    run(study("whole", more, 150), silent);
    CheckpointStopper stopper(9);
    ASSERT_EQ(run(study("cut", more, 150), stopper, &stopper.interrupts).ending,
              Ending::interrupted);
    const auto files = checkpoints("cut", 0);
    ASSERT_GE(files.size(), 4U);
    flip_last_byte(files.back());

    std::vector<std::string> lines;
    base::set_log_sink([&](base::LogLevel, std::string_view line) { lines.emplace_back(line); });
    const SweepResult resumed = run(study("cut", more, 150), silent);
    base::set_log_sink({});
    ASSERT_EQ(lines.size(), 1U) << adapt;
    EXPECT_NE(lines[0].find(files.back().string()), std::string::npos) << lines[0];
    EXPECT_EQ(log("cut"), log("whole")) << adapt;
    EXPECT_TRUE(tensors(folder_ / "cut/best.safetensors") ==
                tensors(folder_ / "whole/best.safetensors"))
        << adapt;
    for (const char* left : {"whole", "cut", "whole-store", "cut-store"})
      std::filesystem::remove_all(folder_ / left);
  }
}

TEST_F(CheckpointTest, WhatWasNeverWrittenIsTrainedAgain) {
  Observer silent;
  run(study("whole"), silent);
  CheckpointStopper stopper(9);
  run(study("cut"), stopper, &stopper.interrupts);
  for (const auto& file : checkpoints("cut", 0)) std::filesystem::remove(file);
  EXPECT_EQ(run(study("cut"), silent).ending, Ending::done);
  EXPECT_EQ(table("cut"), table("whole"));
}

TEST_F(CheckpointTest, AnyShareOfTheTimeGivesTheSameStudy) {
  Observer silent;
  run(study("whole"), silent);
  for (const std::string share : {"0", "0.5", "100"}) {
    const std::string name = "share-" + share;
    const StudySpec spec = study(name, base::cat("checkpoint: {overhead: ", share, "%}\n"));
    CheckpointStopper stopper(7);
    run(spec, stopper, &stopper.interrupts);
    run(spec, silent);
    EXPECT_EQ(table(name), table("whole")) << share;
  }
}

TEST_F(CheckpointTest, AnUnfinishedTrialsLastTwoSurviveACrowdedStore) {
  Observer silent;
  run(study("whole"), silent);
  CheckpointStopper stopper(9);
  run(study("cut"), stopper, &stopper.interrupts);
  {
    rt::Store crowded({.folder = folder_ / "cut-store", .disk_bytes = 64 << 10});
    for (std::uint64_t i = 0; i < 200; ++i)
      crowded.insert(base::hash_bytes(base::as_bytes(std::to_string(i))), base::Bytes(2000), 1e6);
  }
  const auto files = checkpoints("cut", 0);
  const std::size_t count = files.size();
  ASSERT_GE(count, 3U);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(std::filesystem::exists(files[i]), i + 2 >= count) << i;
  EXPECT_EQ(run(study("cut"), silent).ending, Ending::done);
  EXPECT_EQ(table("cut"), table("whole"));
}

}  // namespace
}  // namespace hpo
