// Studies whose trials run programs: what counts, in which order, and what stays of it.

#include "hpo/driver/programs/command_work.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/text.h"
#include "hpo/driver/programs/command_end.h"
#include "hpo/export/export.h"
#include "tests/hpo/driver/command_studies.h"
#include "tests/support/child.h"
#include "tests/support/warnings.h"

namespace hpo {

namespace {

TEST_F(CommandStudies, AreStoppedByTheirRuleWhileTheyRun) {
  const StudySpec file = study(
      "for i in 1 2 3 4 5 6; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $1}\" >> $TRELLIS_METRICS; "
      "sleep 0.05; done\n"
      "[ $1 = 1 ] || sleep 60\n",
      base::cat(
          "metric: {name: loss, goal: minimize}\nearly_stop: {type: asha, min: 2, eta: 2, max: 6}\n"
          "parallel: 1\n",
          kGrid));
  EXPECT_EQ(sweep(file).ending, Ending::done);
  EXPECT_EQ(trials()[0].state, TrialState::complete);
  EXPECT_EQ(trials()[0].step, 6);
  for (std::size_t trial = 1; trial < 4; ++trial) {
    EXPECT_EQ(trials()[trial].state, TrialState::stopped);
    EXPECT_EQ(trials()[trial].step, 2);
  }
}

TEST_F(CommandStudies, RunAsManyAtOnceAsTheFileSays) {
  // Each waits until all four are there: with fewer at once nobody would end well.
  const StudySpec file = study(
      "touch here.$1; for i in $(seq 400); do [ $(ls here.* | wc -l) = 4 ] && break; sleep 0.02; "
      "done\n"
      "echo \"{\\\"loss\\\": $(ls here.* | wc -l)}\" >> $TRELLIS_METRICS\n",
      base::cat("metric: {name: loss, goal: minimize}\nparallel: 4\n", kGrid));
  sweep(file);
  for (const TrialRow& trial : trials()) EXPECT_EQ(trial.value, 4);
}

/// Trial 2 is stopped by its rule, before anybody knows what it took.
TEST_F(CommandStudies, SayWhatMemoryTheirLargestProcessTook) {
  const StudySpec file = study(
      "echo \"{\\\"step\\\": 1, \\\"loss\\\": $1}\" >> $TRELLIS_METRICS\n"
      "[ $1 = 3 ] && sleep 60\n"
      "(sh -c \"dd if=/dev/zero of=/dev/null bs=$((60 * $1))M count=1 2> /dev/null\")\n"
      "[ $1 != 2 ] || [ -e second.$1 ] || { touch second.$1; kill -KILL $$; }\n",
      "metric: {name: loss, goal: minimize}\nretry: {max: 1, on: [killed]}\nparallel: 1\n"
      "early_stop: {threshold: {worst: 2.5}}\n"
      "method: grid\nparameters: {x: {values: [1, 2, 3]}}\n");
  sweep(file);
  constexpr std::uint64_t kMega = 1 << 20;
  const std::vector<TrialRow> rows = trials();
  for (const std::size_t trial : {0U, 1U}) {
    ASSERT_TRUE(rows[trial].memory) << trial;
    EXPECT_GT(*rows[trial].memory, (trial + 1) * 60 * kMega);
    EXPECT_LT(*rows[trial].memory, (trial + 1) * 60 * kMega + 40 * kMega);
  }
  EXPECT_EQ(rows[1].attempts, 2);
  EXPECT_EQ(rows[2].state, TrialState::stopped);
  EXPECT_FALSE(rows[2].memory);
  const StudyReader reader(run());
  EXPECT_NE(trial_json(rows[0], Judge(reader)).find("\"memory\": "), std::string::npos);
  EXPECT_EQ(trial_json(rows[2], Judge(reader)).find("memory"), std::string::npos);
  EXPECT_EQ(export_json(reader).find("memory"), std::string::npos) << "it differs from run to run";
}

TEST_F(CommandStudies, AreRetriedAsOftenAsTheFileSays) {
  const StudySpec file = study(
      "echo x >> tries.$1; [ $1 = 3 ] && kill -KILL $$; [ $(wc -l < tries.$1) -gt $1 ] || kill "
      "-SEGV $$\n"
      "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
      base::cat("metric: {name: loss, goal: minimize}\nretry: {max: 2, on: [killed]}\n", kGrid));
  sweep(file);
  const std::vector<TrialRow> rows = trials();
  EXPECT_EQ(rows[0].state, TrialState::complete);
  EXPECT_EQ(rows[0].attempts, 2);
  EXPECT_EQ(rows[1].attempts, 3);
  EXPECT_EQ(rows[2].state, TrialState::failed);
  EXPECT_EQ(rows[2].cause, Cause::killed);
  EXPECT_EQ(rows[2].attempts, 3);
  EXPECT_EQ(rows[3].attempts, 3);
  EXPECT_EQ(rows[3].cause, Cause::killed);
}

TEST_F(CommandStudies, GoOnFromTheirCheckpoints) {
  const StudySpec file = study(
      kCounter, "metric: {name: loss, goal: minimize}\nparallel: 1\nparameters: {x: {value: 3}}\n");
  struct Stopper : Observer {
    void trial_reported(const TrialRow& row) override {
      if (row.step % 3 == 0) asked = 1;
    }
    std::atomic<int> asked{0};
  };
  int sessions = 0;
  for (Ending end = Ending::interrupted; end == Ending::interrupted; ++sessions) {
    Stopper stopper;
    end = run_sweep(file, {.folder = run(), .interrupts = &stopper.asked}, stopper).ending;
    ASSERT_LT(sessions, 20);
  }
  EXPECT_GT(sessions, 1);
  EXPECT_EQ(steps_of(0), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(trials()[0].value, 24);
  EXPECT_EQ(trials()[0].attempts, 1);
  const std::vector<int> begun = starts(3);
  EXPECT_EQ(begun.size(), static_cast<std::size_t>(sessions));
  EXPECT_TRUE(std::ranges::is_sorted(begun));
  EXPECT_EQ(std::ranges::count(begun, 0), 1);
}

/// Nothing that a study file may say pauses programs, so the method is put in by hand: what it
/// stands for is any rule that pauses.
TEST_F(CommandStudies, GoOnFromTheirCheckpointsWhenTheyWerePaused) {
  StudySpec file =
      study(kCounter,
            "metric: {name: loss, goal: minimize}\nparallel: 2\nlimits: {trials: 3}\n"
            "method: random\nparameters: {x: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}\n");
  file.method = {"pbt",
                 {{"members", std::int64_t{3}},
                  {"every", std::int64_t{4}},
                  {"quantile", 0.25},
                  {"resample", 0.0},
                  {"factor", 1.2}}};
  file.max_epochs = 8;
  sweep(file);
  int paused = 0;
  for (const TrialRow& row : trials()) {
    EXPECT_EQ(row.state, TrialState::complete) << row.message;
    EXPECT_EQ(row.step, 8);
    if (row.parent) continue;
    EXPECT_EQ(steps_of(row.trial), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    const std::vector<int> begun = starts(std::get<std::int64_t>(*row.params.find("x")));
    // A trial that took over its params runs the same program from its start.
    const auto copies = std::ranges::count(trials(), std::optional(row.trial), &TrialRow::parent);
    EXPECT_EQ(std::ranges::count(begun, 0), 1 + copies);
    EXPECT_GE(std::ranges::max(begun), 3);
    ++paused;
  }
  EXPECT_EQ(paused, 2);
}

TEST_F(CommandStudies, TakeOverNothingFromOtherParams) {
  const base::Path trial = run() / "trials" / "0000";
  base::make_folder(trial / "checkpoint");
  base::write_file_atomic(trial / "params.json", "{\"x\": 99}\n");
  base::write_file_atomic(trial / "checkpoint" / "n", "8");
  base::write_file_atomic(trial / "metrics.jsonl", "{\"step\": 8, \"loss\": -1}\n");
  sweep(study(kCounter, "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n"));
  EXPECT_EQ(trials()[0].value, 24);
}

TEST_F(CommandStudies, AreTheSameInVirtualOrder) {
  const auto exported = [&](const char* slow) {
    std::filesystem::remove_all(run());
    const StudySpec file = study(
        base::cat("for i in 1 2 3; do case $1 in ", slow,
                  "*) sleep 0.1;; esac\n"
                  "echo \"{\\\"step\\\": $i, \\\"loss\\\": $1}\" >> $TRELLIS_METRICS; done\n"),
        "metric: {name: loss, goal: minimize}\nmethod: {type: tpe, startup: 3}\norder: "
        "virtual\nparallel: 3\n"
        "early_stop: {type: asha, min: 1, eta: 2, max: 3}\n"
        "parameters: {x: {min: 0.1, max: 0.9}}\nlimits: {trials: 12}\n");
    sweep(file);
    return export_csv(StudyReader(run()), {});
  };
  const std::string first = exported("0.1");
  EXPECT_EQ(first, exported("0.8"));
}

TEST_F(CommandStudies, BeginAnewWhereTheFileWasMendedAndNothingHadReported) {
  const std::string metric = "metric: {name: loss, goal: minimize}\nparallel: 1\n";
  const std::string script =
      "touch $TRELLIS_CHECKPOINT_DIR/seen.$1; [ $1 = 9 ] && exit 1\n"
      "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n";
  EXPECT_EQ(
      sweep(study(script, metric + "method: grid\nparameters: {x: {values: [9, 1]}}\n")).ending,
      Ending::nothing_usable);
  const StudySpec mended =
      study(script, metric + "method: grid\nparameters: {x: {values: [2, 1]}}\n");
  EXPECT_EQ(sweep(mended).ending, Ending::done);
  EXPECT_NE(notes_.text.find("differs in parameters (x.values is ["), std::string::npos)
      << notes_.text;
  ASSERT_EQ(trials().size(), 2U);
  EXPECT_EQ(trials()[0].state, TrialState::complete);
  EXPECT_FALSE(base::file_size(run() / "trials/0000/checkpoint/seen.9"));
  EXPECT_EQ(StudyReader(run()).events().front().seq, 1);
  EXPECT_EQ(sweep(mended).counts.complete, 2) << "the log replays";
  const StudySpec other =
      study(script, metric + "method: grid\nparameters: {x: {values: [3, 1]}}\n");
  EXPECT_THROW(sweep(other), base::Error) << "what has reported is kept";
}

TEST_F(CommandStudies, TakeWholeNumbersOutOfWhatIsPrinted) {
  const auto failure = [&](const std::string& printed, const std::string& regex) {
    ++studies_;
    const StudySpec file = study(base::cat("printf '", printed, "'\n"),
                                 base::cat("metric: {name: loss, goal: minimize, regex: '", regex,
                                           "'}\nmethod: grid\nparameters: {x: {values: [1]}}\n"));
    const base::Path folder = folder_ / base::cat("run", studies_);
    (void)run_sweep(file, {.folder = folder}, notes_);
    return StudyReader(folder).trials()[0].message;
  };
  EXPECT_EQ(failure("loss: 1e-05\\n", "loss: ([0-9.]+)"),
            "metric.regex of loss takes \"1\" out of 1e-05 in the line \"loss: 1e-05\", expected a "
            "group that takes whole numbers, such as (\\S+)");
  EXPECT_NE(failure("loss: -0.5\\n", "([0-9.]+)").find("\"0.5\" out of -0.5"), std::string::npos);
  EXPECT_EQ(failure("loss: none yet\\n", "loss: (.*)"),
            "exited with status 0 without reporting loss: metric.regex took \"none yet\", which is "
            "not a number; put the group around the number");
  for (const char* line :
       {"loss: 1e-05", "step3 loss-0.5 s", "loss 0.5%%", "1/10: 0.5,", "v1.2 loss=0.5"})
    EXPECT_EQ(failure(base::cat(line, "\\n"), "(?:loss[-:= ]+|: )([0-9.e-]+)"), "") << line;
}

TEST_F(CommandStudies, FollowNoLinksOutOfTheirFolder) {
  const auto with_trials = [&](int trials) {
    return study(
        "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
        base::cat("metric: {name: loss, goal: minimize}\nlimits: {trials: ", trials, "}\n", kGrid));
  };
  sweep(with_trials(2));
  const base::Path outside = folder_ / "outside";
  base::make_folder(outside);
  std::filesystem::remove_all(run() / "trials");
  std::filesystem::create_directory_symlink(outside, run() / "trials");
  EXPECT_THROW(sweep(with_trials(4)), base::Error);
  EXPECT_TRUE(std::filesystem::is_empty(outside));
}

TEST_F(CommandStudies, WaitForFilesThatTheSystemDoesNotHave) {
  const StudySpec file =
      study("sleep 0.05; echo \"{\\\"loss\\\": $(ulimit -n)}\" >> $TRELLIS_METRICS\n",
            "metric: {name: loss, goal: minimize}\nparallel: 60\nmethod: grid\n"
            "parameters: {x: {type: int, min: 1, max: 60}}\n");
  // How trials ended, with the number of files that they might open, and how often it was warned.
  const auto with_files = [&](const rlimit& limit) {
    return support::in_child([&] {
      const support::Warnings warnings;
      ::setrlimit(RLIMIT_NOFILE, &limit);
      sweep(file);
      std::map<std::string, int> found;
      for (const TrialRow& trial : trials())
        ++found[base::cat(name_of(trial.state), " ", trial.value.value_or(0), " ", trial.message)];
      std::string said = base::cat(warnings.lines.size(), " warnings");
      for (const auto& [what, count] : found) said += base::cat("; ", count, " x ", what);
      std::filesystem::remove_all(run());
      return said;
    });
  };
  EXPECT_EQ(with_files({96, 96}), "1 warnings; 60 x complete 96 ");
  EXPECT_EQ(with_files({96, 1024}), "0 warnings; 60 x complete 96 ");
}

TEST_F(CommandStudies, KeepSecretsOutOfRecords) {
  ::setenv("TRELLIS_TEST_TOKEN", "hush-4711", 1);
  sweep(study("[ $TRELLIS_TEST_TOKEN = hush-4711 ] && echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
              base::cat("metric: {name: loss, goal: minimize}\n", kGrid)));
  ::unsetenv("TRELLIS_TEST_TOKEN");
  EXPECT_EQ(trials()[0].state, TrialState::complete);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(text.find("hush-4711"), text.npos) << entry.path();
  }
}

TEST(ReportLines, AreReadAsPythonWritesThem) {
  const ReportLine line = read_report_line(
      "{\"step\": 3.0, \"a\": NaN, \"b\": -Infinity, \"text\": \"NaN \\\" x\", \"c\": 1e-3, "
      "\"d\": -nan, \"e\": \"inf\"}");
  EXPECT_EQ(line.step, 3);
  ASSERT_EQ(line.metrics.size(), 5U);
  EXPECT_TRUE(std::isnan(line.metrics[3].second)) << "as C prints it";
  EXPECT_EQ(line.metrics[4].second, INFINITY);
  EXPECT_TRUE(std::isnan(line.metrics[0].second));
  EXPECT_EQ(line.metrics[1].second, -INFINITY);
  EXPECT_EQ(line.metrics[2], (std::pair<std::string, double>{"c", 1e-3}));
  for (const char* bad : {"", "3", "[1]", "{\"step\": -1}", "{\"step\": 1.5}", "{\"step\": \"x\"}",
                          "{\"a\": }", "{"}) {
    EXPECT_THROW((void)read_report_line(bad), base::Error) << bad;
  }
}

TEST(Gpus, AreDealtOut) {
  GpuShare gpus({"0", "3"});
  const auto whole = gpus.take({.gpus = 1});
  ASSERT_TRUE(whole);
  EXPECT_EQ(gpus.names(*whole), "0");
  const auto half = gpus.take({.gpus = 0.5});
  const auto other_half = gpus.take({.gpus = 0.5});
  ASSERT_TRUE(half && other_half);
  EXPECT_EQ(gpus.names(*half) + gpus.names(*other_half), "33");
  EXPECT_FALSE(gpus.take({.gpus = 0.5}));
  gpus.give_back(*whole);
  EXPECT_FALSE(gpus.take({.gpus = 2}));
  const auto any = gpus.take({.any_gpu = true});
  EXPECT_EQ(gpus.names(*any), "0");
  EXPECT_EQ(gpus.names(*gpus.take({})), "");
  GpuShare none(std::vector<std::string>{});
  EXPECT_EQ(none.names(*none.take({.any_gpu = true})), "");
  EXPECT_FALSE(none.take({.gpus = 1}));
}

}  // namespace

}  // namespace hpo
