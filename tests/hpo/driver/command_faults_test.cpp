// Studies whose programs run where something is short, late or in the way.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/process/start.h"
#include "hpo/driver/programs/foreground.h"
#include "hpo/driver/programs/rerun.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/log/study_lock.h"
#include "runtime/loop.h"
#include "tests/hpo/driver/command_studies.h"
#include "tests/support/child.h"

namespace hpo {

namespace {

/// Asks the sweep to stop as soon as a trial has reported `step`.
struct StopAt : Observer {
  explicit StopAt(std::int64_t at) : step(at) {}
  void trial_reported(const TrialRow& row) override {
    if (row.step >= step) asked = 1;
  }
  std::int64_t step;
  std::atomic<int> asked{0};
};

class CommandFaults : public CommandStudies {
 protected:
  Ending sweep_until(const StudySpec& file, std::int64_t step) {
    StopAt stopper(step);
    return run_sweep(file, {.folder = run(), .interrupts = &stopper.asked}, stopper).ending;
  }
  [[nodiscard]] std::string why_finished() const {
    std::string why;
    for (const EventRow& event : StudyReader(run()).events())
      if (event.kind == "finished") why = event.payload();
    return why;
  }
  void expect_all_ended(std::size_t count) const {
    ASSERT_EQ(trials().size(), count);
    for (const TrialRow& row : trials())
      EXPECT_TRUE(row.state == TrialState::complete || row.state == TrialState::stopped)
          << row.trial << " " << row.message;
    EXPECT_NE(why_finished().find("trials"), std::string::npos) << why_finished();
  }
};

constexpr const char* kTwelve =
    "metric: {name: loss, goal: minimize}\norder: virtual\n"
    "early_stop: {type: asha, min: 2, eta: 2, max: 8, promote: false}\n"
    "parameters: {x: {type: int, min: 1, max: 100}}\nmethod: random\n";

/// Reports 8 steps at once.
constexpr const char* kQuick =
    "for i in 1 2 3 4 5 6 7 8; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $1}\"; done >> "
    "$TRELLIS_METRICS\n";

/// In virtual order a word on one trial needs what another one reports: that one must not wait for
/// the place of a program that has ended.
TEST_F(CommandFaults, AProgramThatHasEndedHoldsNoGpu) {
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  sweep(study(kQuick, base::cat(kTwelve, "parallel: 3\nresources: {gpus: 1}\n",
                                "limits: {trials: 6, time: 20s}\n")));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  expect_all_ended(6);
}

TEST_F(CommandFaults, WhatWasLeftOverIsHandedInWithoutAPlace) {
  const std::string slow =
      "for i in 1 2 3 4 5 6 7 8; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $1}\" >> "
      "$TRELLIS_METRICS; sleep 0.03; done\n";
  const std::string limits = "limits: {trials: 8, time: 30s, grace: 1s}\n";
  ASSERT_EQ(sweep_until(study(slow, base::cat(kTwelve, "parallel: 4\n", limits)), 1),
            Ending::interrupted);
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    std::ofstream file(run() / trial_folder_name(trial) / "metrics.jsonl", std::ios::app);
    for (int step = 1; step <= 8; ++step)
      file << "{\"step\": " << step << ", \"loss\": " << trial << "}\n";
  }
  sweep(study(slow, base::cat(kTwelve, "parallel: 1\n", limits)));
  expect_all_ended(8);
}

TEST_F(CommandFaults, ProgramsThatWaitForAWordLeaveTheirFilesToOthers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need files of their own";
#endif
  const StudySpec file =
      study(kQuick, base::cat(kTwelve, "parallel: 24\n", "limits: {trials: 24, time: 30s}\n"));
  const std::string said = support::in_child([&] {
    const rlimit limit{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    sweep(file);
    std::size_t ended = 0;
    for (const TrialRow& row : trials())
      ended += row.state == TrialState::complete || row.state == TrialState::stopped ? 1 : 0;
    return base::cat(ended, why_finished().find("trials") != std::string::npos ? "" : " late");
  });
  EXPECT_EQ(said, "24");
}

/// Counts to 8 with a checkpoint after every step, and says no step.
std::string counter_without_steps(const std::string& report) {
  return base::cat(
      "c=$TRELLIS_CHECKPOINT_DIR/n; n=$(cat $c 2>/dev/null || echo 0)\n"
      "while [ $n -lt 8 ]; do n=$((n+1))\n",
      report, "\necho $n > $c.new; mv $c.new $c; sleep 0.2; done\n");
}

TEST_F(CommandFaults, ReportsWithoutAStepAreCountedOn) {
  const std::string more = "parallel: 1\nparameters: {x: {value: 3}}\n";
  const std::pair<const char*, const char*> ways[] = {
      {"echo \"{\\\"loss\\\": $n}\" >> $TRELLIS_METRICS", "metric: {name: loss, goal: minimize}\n"},
      {"echo \"loss: $n\"", "metric: {name: loss, goal: minimize, regex: 'loss: (\\S+)'}\n"}};
  for (const auto& [report, metric] : ways) {
    std::filesystem::remove_all(run());
    const StudySpec file = study(counter_without_steps(report), metric + more);
    ASSERT_EQ(sweep_until(file, 4), Ending::interrupted);
    EXPECT_EQ(sweep(file).ending, Ending::done);
    EXPECT_EQ(trials()[0].value, 8) << report;
    EXPECT_LE(trials()[0].step, 8) << report;
    EXPECT_GE(trials()[0].step, 6) << "the stop may have come a report or two late: " << report;
  }
}

/// One without checkpoints begins from its start, and so does its count.
TEST_F(CommandFaults, ReportsWithoutAStepBeginAgainWithTheProgram) {
  const StudySpec file = study(
      "for n in 1 2 3 4 5 6 7 8; do echo \"{\\\"loss\\\": $n}\" >> $TRELLIS_METRICS; sleep 0.1; "
      "done\n",
      "metric: {name: loss, goal: minimize}\nparallel: 1\nparameters: {x: {value: 3}}\n");
  ASSERT_EQ(sweep_until(file, 4), Ending::interrupted);
  EXPECT_EQ(sweep(file).ending, Ending::done);
  EXPECT_EQ(trials()[0].step, 8);
  EXPECT_EQ(trials()[0].value, 8);
}

/// What ends by itself is complete, whatever the rule would say of its last report.
TEST_F(CommandFaults, WhatEndsByItselfIsNotDropped) {
  const StudySpec file = study(
      "[ $1 = 3 ] && { sleep 0.6; n=2; } || n=8\n"
      "for i in $(seq $n); do echo \"{\\\"step\\\": $i, \\\"loss\\\": $1}\"; done >> "
      "$TRELLIS_METRICS\n",
      "metric: {name: loss, goal: minimize}\nsubject_to: {seconds: 100}\nmethod: grid\n"
      "early_stop: {type: successive_halving, min: 3, eta: 3, trials: 3, max: 8}\n"
      "parameters: {x: {values: [1, 2, 3]}}\nparallel: 3\n");
  EXPECT_EQ(sweep(file).ending, Ending::done);
  EXPECT_EQ(trials()[2].state, TrialState::complete);
  EXPECT_EQ(trials()[2].step, 3);
  EXPECT_EQ(trials()[0].state, TrialState::complete);
  EXPECT_EQ(trials()[1].state, TrialState::stopped);
}

TEST_F(CommandFaults, AFolderThatCannotBeMadeEndsTheSweepAndNoTrial) {
  const auto with_trials = [&](int trials) {
    return study(
        "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
        base::cat("metric: {name: loss, goal: minimize}\nlimits: {trials: ", trials, "}\n", kGrid));
  };
  sweep(with_trials(2));
  const StudySpec file = with_trials(4);
  const base::Path trials_folder = run() / "trials";
  std::filesystem::remove_all(trials_folder);
  base::write_file_atomic(trials_folder, "in the way");
  try {
    sweep(file);
    ADD_FAILURE() << "it went on";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
    EXPECT_NE(std::string(error.what()).find("trials"), std::string::npos) << error.what();
  }
  std::filesystem::remove(trials_folder);
  EXPECT_EQ(sweep(file).counts.complete, 4);
}

TEST_F(CommandFaults, AProgramThatReplacesItsFolderSpoilsItsOwnTrial) {
  const auto with_trials = [&](int trials) {
    return study(
        "[ $1 = 1 ] && rm -r $TRELLIS_CHECKPOINT_DIR && ln -s /tmp $TRELLIS_CHECKPOINT_DIR\n"
        "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n"
        "[ $1 = 1 ] && kill -9 $$\ntrue\n",
        base::cat(
            "metric: {name: loss, goal: minimize}\nmethod: grid\nretry: {max: 1, on: [killed]}\n"
            "parameters: {x: {type: int, min: 1, max: 4}}\nlimits: {trials: ",
            trials, "}\n"));
  };
  EXPECT_EQ(sweep(with_trials(4)).counts.complete, 3);
  EXPECT_EQ(trials()[0].state, TrialState::failed);
  EXPECT_NE(trials()[0].message.find("was replaced"), std::string::npos) << trials()[0].message;
}

TEST_F(CommandFaults, MuchOutputIsReadPieceByPiece) {
  const StudySpec file = study(
      "echo 'loss: 3'; yes 'noise without end' | head -n 600000; echo 'loss: 2'\n",
      "metric: {name: loss, goal: minimize, regex: 'loss: (\\S+)'}\nlimits: {trials: 1, log: 1MB}\n"
      "parameters: {x: {type: int, min: 1, max: 4}}\n");
  EXPECT_EQ(sweep(file).counts.complete, 1);
  EXPECT_EQ(trials()[0].value, 2);
  EXPECT_LE(std::filesystem::file_size(run() / "trials/0000/log"), 1'100'000U);
}

TEST_F(CommandFaults, AFirstTrialThatFailsLateEndsNothing) {
  const StudySpec file = study(
      "[ $1 = 1 ] && { sleep 0.4; exit 1; }\n"
      "sleep 0.1; echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
      "metric: {name: loss, goal: minimize}\nparallel: 2\nmethod: grid\n"
      "parameters: {x: {type: int, min: 1, max: 12}}\n");
  EXPECT_EQ(sweep(file).ending, Ending::done);
  EXPECT_EQ(trials()[0].state, TrialState::failed);
  EXPECT_EQ(trials().size(), 12U);
}

TEST_F(CommandFaults, GoodLinesBeforeABadOneCount) {
  const StudySpec file = study(
      "echo '{\"step\": 1, \"loss\": 5}' >> $TRELLIS_METRICS; echo rubbish >> $TRELLIS_METRICS\n",
      base::cat("metric: {name: loss, goal: minimize}\nparallel: 1\n", kGrid));
  sweep(file);
  ASSERT_EQ(trials().size(), 4U);
  for (const TrialRow& row : trials()) {
    EXPECT_EQ(row.state, TrialState::failed);
    EXPECT_EQ(row.value, 5);
    EXPECT_NE(row.message.find("rubbish"), std::string::npos) << row.message;
  }
}

/// A metrics file may be made anew at any time, in any way.
TEST_F(CommandFaults, AMetricsFileThatIsMadeAnewIsReadFromItsBeginning) {
  const char* const ways[] = {
      // removed, and written again
      "rm $TRELLIS_METRICS; for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $i}\"; done "
      ">> $TRELLIS_METRICS\n",
      // another file under its name
      "for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $i}\" >> all.$1; cp all.$1 "
      "tmp.$1; "
      "mv tmp.$1 $TRELLIS_METRICS; sleep 0.1; done\n",
      // each line alone
      "for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"loss\\\": $i}\" > $TRELLIS_METRICS; sleep "
      "0.3; done\n",
      // emptied by the second attempt, with longer lines
      "c=$TRELLIS_CHECKPOINT_DIR/n; [ -e $c ] && { for i in 2 3; do echo \"{\\\"step\\\": $i, "
      "\\\"more\\\": 10000000, \\\"loss\\\": $i}\"; done > $TRELLIS_METRICS; exit 0; }\n"
      "echo '{\"step\": 1, \"loss\": 1}' > $TRELLIS_METRICS; touch $c; sleep 0.2; kill -KILL $$\n"};
  for (const char* way : ways) {
    std::filesystem::remove_all(run());
    const StudySpec file =
        study(way,
              "metric: {name: loss, goal: minimize}\nparallel: 1\nparameters: {x: {value: 3}}\n"
              "retry: {max: 1, on: [killed]}\n");
    EXPECT_EQ(sweep(file).ending, Ending::done) << way;
    EXPECT_EQ(steps_of(0), (std::vector<std::int64_t>{1, 2, 3})) << way;
    EXPECT_EQ(trials()[0].value, 3) << way;
  }
}

/// Reports are read wherever they stand in the output, also in what the log does not keep.
TEST_F(CommandFaults, ALogThatIsTooLongIsReadInFull) {
  const StudySpec file = study(
      "for i in 1 2 3 4 5 6 7 8; do echo \"step $i loss: $i\"; head -c 3000000 /dev/zero | tr "
      "'\\0' "
      "'\\n'; done; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last\n",
      "metric: {name: loss, goal: minimize, regex: 'step (\\d+) loss: (\\S+)'}\nparallel: 1\n"
      "parameters: {x: {value: 3}}\nlimits: {log: 100kB}\n");
  EXPECT_EQ(sweep(file).ending, Ending::done);
  EXPECT_EQ(steps_of(0), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  const std::string log = base::read_file(run() / "trials/0000/log");
  EXPECT_LT(log.size(), 100'200U);
  EXPECT_TRUE(log.starts_with("step 1 loss: 1\n\n"));
  EXPECT_TRUE(log.ends_with("xxx\nlast\n"));
  EXPECT_NE(log.find(" bytes of output left out]\n"), std::string::npos);
}

/// A signal to all processes of a job reaches programs before the sweep.
TEST_F(CommandFaults, AProgramThatHeardOfTheStopFirstHasNotFailed) {
  struct Late : Observer {
    void trial_started(const TrialRow&) override {
      if (!later.joinable())
        later = std::thread([this] {
          std::this_thread::sleep_for(std::chrono::milliseconds(400));
          asked = 1;
          rt::wake();
        });
    }
    std::thread later;
    std::atomic<int> asked{0};
  } late;
  const StudySpec file =
      study("sleep 0.2; exit 143\n",
            base::cat("metric: {name: loss, goal: minimize}\nparallel: 4\n", kGrid));
  EXPECT_EQ(run_sweep(file, {.folder = run(), .interrupts = &late.asked}, late).ending,
            Ending::interrupted);
  late.later.join();
  ASSERT_EQ(trials().size(), 4u);
  for (const TrialRow& row : trials()) EXPECT_EQ(row.state, TrialState::waiting) << row.message;
}

TEST_F(CommandFaults, AProgramThatEndsAsIfStoppedHasFailedWhereNobodyStops) {
  sweep(study("exit 143\n", base::cat("metric: {name: loss, goal: minimize}\n", kGrid)));
  ASSERT_FALSE(trials().empty());
  EXPECT_EQ(trials().front().state, TrialState::failed);
  EXPECT_EQ(trials().front().cause, Cause::error);
}

TEST_F(CommandFaults, ARerunJudgesAsTheSweepDoes) {
  const std::pair<const char*, const char*> programs[] = {
      {"echo rubbish >> $TRELLIS_METRICS\n", "rubbish"},
      {"echo '{\"loss\": NaN}' >> $TRELLIS_METRICS\n", "is not a number"},
      {"true\n", "exited with status 0 without reporting loss"},
      {"exit 3\n", "exited with status 3"}};
  const std::string more =
      "metric: {name: loss, goal: minimize}\nparallel: 1\nparameters: {x: {value: 3}}\n";
  for (const auto& [program, message] : programs) {
    std::filesystem::remove_all(run());
    const StudySpec file = study(program, more);
    sweep(file);
    const Rerun again = rerun_command(file, 0, trials()[0].params, folder_ / "reruns");
    EXPECT_EQ(again.end.state, TrialState::failed) << program;
    EXPECT_EQ(again.end.cause, trials()[0].cause) << program;
    EXPECT_EQ(again.end.message, trials()[0].message) << program;
    EXPECT_NE(again.end.message.find(message), std::string::npos) << again.end.message;
  }
  const StudySpec measured =
      study("exit 3\n", "metric: {name: exit, goal: minimize}\nparameters: {x: {value: 3}}\n");
  const Rerun again = rerun_command(measured, 1, trials()[0].params, folder_ / "reruns");
  ASSERT_EQ(again.reports.size(), 1U);
  EXPECT_EQ(again.reports[0].value, 3);
}

TEST_F(CommandFaults, ARerunReadsTheOutputThatTheMetricIsIn) {
  const StudySpec file = study("echo begins; echo loss=0.25; echo loss=0.5 >&2\n",
                               "metric: {name: loss, goal: minimize, regex: 'loss=([0-9.]+)'}\n"
                               "parameters: {x: {value: 3}}\n");
  sweep(file);
  const Rerun again = rerun_command(file, 0, trials()[0].params, folder_ / "reruns");
  EXPECT_EQ(again.end.state, TrialState::complete) << again.end.message;
  ASSERT_EQ(again.reports.size(), 2u);
  EXPECT_EQ(again.reports.front().value + again.reports.back().value, 0.75);
}

TEST_F(CommandFaults, ARerunHandsItsStopOnToTheProgram) {
  const StudySpec file = study(
      "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n"
      "case $TRELLIS_TRIAL_DIR in\n"
      "*reruns*) trap 'exit 7' TERM; touch $TRELLIS_TRIAL_DIR/begun\n"
      "  while :; do sleep 0.02; done;;\n"
      "esac\n",
      "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n");
  sweep(file);
  std::thread stopper([begun = folder_ / "reruns/trials/0000/begun"] {
    while (!std::filesystem::exists(begun))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(::getpid(), SIGTERM);
  });
  const Rerun again = rerun_command(file, 0, trials()[0].params, folder_ / "reruns");
  stopper.join();
  EXPECT_EQ(again.end.message, "exited with status 7");
  EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
}

TEST_F(CommandFaults, ARerunThatCannotWriteItsLogAsksTheProgramToEnd) {
  const base::File full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const TrialCommand program{.words = {"sh", "-c",
                                       "trap 'touch ended; exit 0' TERM; echo begun; "
                                       "while :; do sleep 0.02; done"},
                             .path = "/bin/sh",
                             .folder = folder_.path().string()};
  try {
    (void)run_in_foreground(program, base::environment_with({}), full.fd());
    ADD_FAILURE() << "nothing was said";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "ended"));
  EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
}

TEST_F(CommandFaults, AStopThatComesWhileTheProgramStartsReachesIt) {
  const StudySpec file = study(
      "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n"
      "case $TRELLIS_TRIAL_DIR in\n"
      "*reruns*) exec sleep 600;;\n"
      "esac\n",
      "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n");
  sweep(file);
  // The handler is there before the program is.
  std::thread stopper([] {
    struct sigaction action {};
    do {
      ::sigaction(SIGTERM, nullptr, &action);
    } while (action.sa_handler == SIG_DFL);
    ::kill(::getpid(), SIGTERM);
  });
  const Rerun again = rerun_command(file, 0, trials()[0].params, folder_ / "reruns");
  stopper.join();
  EXPECT_EQ(again.end.state, TrialState::failed);
  EXPECT_EQ(base::descendants(), std::vector<pid_t>{});
}

TEST_F(CommandFaults, AnAttemptThatWritesItsReportsAnewIsReadFromTheBeginning) {
  const StudySpec file = study(
      "lines='{\"loss\": 3}\n{\"loss\": 2}'\n"
      "printf '%s\\n' \"$lines\" > $TRELLIS_METRICS\n"
      "if [ ! -e first ]; then touch first; sleep 0.3; kill -9 $$; fi\n"
      "echo '{\"loss\": 1}' >> $TRELLIS_METRICS\n",
      "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n"
      "retry: {max: 1, on: [killed]}\n");
  sweep(file);
  ASSERT_EQ(trials().size(), 1u);
  EXPECT_EQ(trials()[0].attempts, 2u);
  EXPECT_EQ(trials()[0].value, 1) << trials()[0].message;
  EXPECT_EQ(steps_of(0), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(CommandFaults, AScriptThatCannotBeStartedSaysWhatStandsInItsWay) {
  const std::pair<const char*, const char*> scripts[] = {
      {"#!/no/such/interpreter -u\nexit 0\n", "names the interpreter /no/such/interpreter, which"},
      {"#!/bin/sh\r\nexit 0\r\n", "carriage return"},
      {"exit 0\n", "such as #!/bin/sh"}};
  for (const auto& [script, words] : scripts) {
    std::filesystem::remove_all(run());
    const base::Path program = folder_ / "own.sh";
    std::ofstream(program) << script;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const StudySpec file = parse_study(
        "name: scripts\ncommand: [./own.sh, $x]\nmetric: {name: exit, goal: minimize}\n"
        "parameters: {x: {value: 3}}\n",
        "scripts.yaml", folder_.path().string());
    sweep(file);
    ASSERT_EQ(trials().size(), 1u);
    EXPECT_NE(trials()[0].message.find(words), std::string::npos) << trials()[0].message;
#if !defined(__SANITIZE_THREAD__)  // which makes a fork of vfork: its child can say nothing
    try {
      (void)rerun_command(file, 0, trials()[0].params, folder_ / "reruns");
      ADD_FAILURE() << "it was started";
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find(trials()[0].message), std::string::npos)
          << error.what();
    }
#endif
  }
}

TEST_F(CommandFaults, WhatAReportHasInPlaceOfANumberIsShown) {
  const std::string more = "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n";
  const std::pair<const char*, const char*> programs[] = {
      {"echo '{\"loss\": \"0.5\"}' >> $TRELLIS_METRICS\n", "its report has \"0.5\", expected"},
      {"echo '{\"loss\": null}' >> $TRELLIS_METRICS\n", "its report has null, expected"},
      {"(head -c 1100000 /dev/zero | tr '\\0' x; echo) >> $TRELLIS_METRICS\n",
       "has a line of 1048576 bytes or more that begins xxx"}};
  for (const auto& [program, message] : programs) {
    std::filesystem::remove_all(run());
    sweep(study(program, more));
    EXPECT_NE(trials()[0].message.find(message), std::string::npos) << trials()[0].message;
  }
}

TEST_F(CommandFaults, AStatusThatIsMeasuredIsNoFailure) {
  const char* const script = "echo '{\"loss\": 2}' >> $TRELLIS_METRICS; exit 3\n";
  const std::string space = "parameters: {x: {value: 3}}\n", loss = "{name: loss, goal: minimize}";
  for (const std::string& more : {base::cat("metric: [", loss, ", {name: exit, goal: minimize}]\n"),
                                  base::cat("metric: ", loss, "\nsubject_to: {exit: 5}\n")}) {
    std::filesystem::remove_all(run());
    sweep(study(script, more + space));
    EXPECT_EQ(trials()[0].state, TrialState::complete) << trials()[0].message;
  }
}

TEST_F(CommandFaults, BlanksAndAByteOrderMarkAreNoReports) {
  sweep(study(
      "printf '\\357\\273\\277{\"loss\": 2}\\n \\t\\n\\n{\"loss\": 1}\\n' >> $TRELLIS_METRICS\n",
      "metric: {name: loss, goal: minimize}\nparameters: {x: {value: 3}}\n"));
  EXPECT_EQ(trials()[0].state, TrialState::complete) << trials()[0].message;
  EXPECT_EQ(steps_of(0), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(CommandFaults, TwoRerunsOfATrialDoNotShareAFolder) {
  const StudySpec file = study("true\n",
                               "metric: {name: exit, goal: minimize}\n"
                               "parameters: {x: {value: 3}}\n");
  sweep(file);
  base::make_folder(folder_ / "reruns");
  const StudyLock other(folder_ / "reruns", "trial-0.lock");
  ASSERT_EQ(other.state(), StudyLock::State::free);
  EXPECT_THROW((void)rerun_command(file, 0, trials()[0].params, folder_ / "reruns"), base::Error);
}

TEST_F(CommandFaults, AStudyWithoutItsLogFindsNothingOfTheOldOne) {
  const std::string more = base::cat("metric: {name: loss, goal: minimize}\nparallel: 1\n", kGrid);
  sweep(study("echo '{\"step\": 1, \"loss\": 1}' >> $TRELLIS_METRICS\n", more));
  for (const char* file : {"study.db", "study.db-wal", "study.db-shm"})
    std::filesystem::remove(run() / file);
  sweep(study("echo '{\"step\": 1, \"loss\": 2}' >> $TRELLIS_METRICS\n", more));
  for (const TrialRow& row : trials()) EXPECT_EQ(row.value, 2);
  EXPECT_TRUE(std::filesystem::exists(run() / "trials.before-0" / "0003" / "metrics.jsonl"));
}

}  // namespace

}  // namespace hpo
