// The study's machine: what it wants next follows from its events alone.

#include "hpo/search/study_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/random.h"
#include "base/text.h"

namespace hpo {
namespace {

StudySpec study(const std::string& method, const std::string& rest) {
  StudySpec spec = parse_study(
      "name: played\ncommand: [/bin/true, --x=$x]\nmetric: {name: loss, goal: minimize}\n"
      "parameters: {x: {min: 0.0, max: 1.0}}\nmethod: " +
          method + "\n" + rest,
      "played.yaml", "/");
  spec.max_epochs = 9;
  return spec;
}

/// Trials of nine steps whose loss falls towards their x; a machine and the table of its events.
class Played {
 public:
  explicit Played(const StudySpec& study) : study_(study) { begin(); }

  /// Plays the study to its end. `restarts`: now and then another machine, which has heard the
  /// events so far, takes over. `fails`: each so many reports an attempt fails in its place.
  /// `reopens`: each so many turns a trial that failed runs again.
  std::vector<std::string> play(bool restarts, std::uint64_t fails = 0, std::uint64_t reopens = 0) {
    base::Stream stream(1, "played");
    while (!machine_->finished()) {
      if (reopens > 0 && ++turns_ % reopens == 0) reopen(stream.uniform());
      follow();
      if (machine_->finished()) break;
      EXPECT_GT(machine_->running(), 0U) << "nothing runs, and nothing comes next";
      if (machine_->running() == 0) break;
      if (restarts && happened_ % 3 == 0) begin();
      const std::uint64_t trial = some_trial(stream.uniform());
      if (fails > 0 && ++attempts_ % fails == 0)
        happen(trial, machine_->after_attempt(
                          trial, {TrialState::failed, Cause::lost, "its node is gone"}));
      else
        report(trial);
    }
    EXPECT_FALSE(machine_->next(kSlots)) << "an event behind the study's end";
    return lines_;
  }

  /// All trials that failed run again.
  void reopen_all() {
    for (std::uint64_t trial = 0; trial < table_->rows().size(); ++trial) {
      if (table_->row(trial).state == TrialState::failed)
        happen(trial, Reopened{table_->row(trial).cause});
    }
  }

  [[nodiscard]] const TrialTable& table() const { return *table_; }
  [[nodiscard]] StudyMachine& machine() { return *machine_; }
  static constexpr std::size_t kSlots = 4;

 private:
  void begin() {
    table_ = std::make_unique<TrialTable>(objective_of(study_));
    machine_ =
        std::make_unique<StudyMachine>(MachineSetup{.study = study_, .trials = table_.get()});
    for (const Event& event : log_) {
      table_->apply(event);
      machine_->replay(event);
    }
    follow();
  }

  void reopen(double where) {
    std::vector<std::uint64_t> failed;
    for (const TrialRow& row : table_->rows()) {
      if (row.state == TrialState::failed) failed.push_back(row.trial);
    }
    if (failed.empty()) return;
    const std::uint64_t trial =
        failed[static_cast<std::size_t>(where * static_cast<double>(failed.size()))];
    happen(trial, Reopened{table_->row(trial).cause});
  }

  void follow() {
    while (const auto next = machine_->next(kSlots)) {
      happen(next->trial, next->event);
      EXPECT_LE(machine_->running(), kSlots);
    }
  }

  void happen(std::optional<std::uint64_t> trial, const EventBody& event) {
    ++happened_;
    log_.push_back({.trial = trial, .body = event});
    lines_.push_back(base::cat(trial ? std::to_string(*trial) : "study", " ", kind_of(event), " ",
                               payload_of(event)));
    machine_->apply(trial, event);
    table_->apply(log_.back());
  }

  std::uint64_t some_trial(double where) const {
    std::vector<std::uint64_t> running;
    for (std::uint64_t trial = 0; trial < machine_->created(); ++trial) {
      if (machine_->runs(trial)) running.push_back(trial);
    }
    return running.at(static_cast<std::size_t>(where * static_cast<double>(running.size())));
  }

  void report(std::uint64_t trial) {
    const TrialRow& row = table_->row(trial);
    const std::int64_t step = row.step + 1;
    const double x = std::get<double>(*row.params.find("x"));
    const double loss = x + 1 / static_cast<double>(step);
    Reported report{.step = step,
                    .epochs = step,
                    .value = loss,
                    .metrics = {{"loss", loss}},
                    .over = step == study_.max_epochs};
    report.decision = machine_->answer(trial, report);
    const bool over = report.over, stop = report.decision == Decision::stop;
    happen(trial, report);
    if (over || stop)
      happen(trial, Ended{.state = over ? TrialState::complete : TrialState::stopped});
  }

  const StudySpec& study_;
  std::unique_ptr<TrialTable> table_;
  std::unique_ptr<StudyMachine> machine_;
  std::vector<Event> log_;
  std::vector<std::string> lines_;
  std::uint64_t happened_ = 0, attempts_ = 0, turns_ = 0;
};

std::size_t count(const std::vector<std::string>& lines, const std::string& kind) {
  return static_cast<std::size_t>(std::ranges::count_if(lines, [&](const std::string& line) {
    return line.find(" " + kind + " ") != std::string::npos;
  }));
}

TEST(StudyMachine, GoesOnFromTheEventsAsIfNobodyHadTakenOver) {
  for (const std::string rule : {"none", "median", "asha", "successive_halving", "hyperband"}) {
    for (const std::string method : {"random", "tpe"}) {
      const StudySpec spec = study(method, "early_stop: " + rule + "\nlimits: {trials: 25}\n");
      const auto alone = Played(spec).play(false);
      EXPECT_EQ(Played(spec).play(true), alone) << rule << " " << method;
      EXPECT_EQ(count(alone, "created"), 25U) << rule;
      EXPECT_EQ(count(alone, "ended"), 25U) << rule;
      EXPECT_EQ(count(alone, "finished"), 1U) << rule;
    }
  }
}

TEST(StudyMachine, FailedAttemptsBeginAgainAsOftenAsTheStudySays) {
  const StudySpec spec = study(
      "random", "limits: {trials: 12, failed: 3}\nretry: {max: 1, on: [lost]}\nearly_stop: none\n");
  const auto alone = Played(spec).play(false, 5);
  EXPECT_EQ(Played(spec).play(true, 5), alone);
  EXPECT_GT(count(alone, "retried"), 2U);
  const StudySpec never =
      study("random", "limits: {trials: 12}\nretry: {max: 0}\nearly_stop: none\n");
  Played played(never);
  EXPECT_EQ(count(played.play(false, 5), "retried"), 0U);
  EXPECT_GT(played.table().counts().failed, 2);
}

/// A machine and its table, told the same.
struct Told {
  explicit Told(const StudySpec& study)
      : table(objective_of(study)), machine({.study = study, .trials = &table}) {}

  void happen(std::optional<std::uint64_t> trial, const EventBody& event) {
    machine.apply(trial, event);
    table.apply({.trial = trial, .body = event});
  }

  TrialTable table;
  StudyMachine machine;
};

/// Of a method that the study file of these tests has no room for.
StudySpec population(const std::string& rest) {
  StudySpec spec = study("random", rest);
  spec.method = {"pbt",
                 {{"members", std::int64_t{8}},
                  {"every", std::int64_t{2}},
                  {"quantile", 0.25},
                  {"resample", 0.25},
                  {"factor", 1.2}}};
  spec.explorable = {"x"};
  return spec;
}

/// Numbers of the trials that were reopened, and how often each was.
std::map<std::uint64_t, int> times_reopened(const std::vector<std::string>& lines) {
  std::map<std::uint64_t, int> times;
  for (const std::string& line : lines) {
    if (line.find(" reopened ") != std::string::npos) ++times[std::stoull(line)];
  }
  return times;
}

/// Studies in which each sampler and each rule hears of trials that run again.
std::vector<StudySpec> disturbed_studies() {
  const std::string rest = "retry: {max: 0}\nlimits: {trials: 25}\nearly_stop: ";
  std::vector<StudySpec> studies{
      population("retry: {max: 0}\nlimits: {trials: 8}\nearly_stop: none\n")};
  for (const std::string rule :
       {"none", "median", "asha", "{asha: {promote: true}}", "auto", "successive_halving",
        "hyperband", "{any_of: [median, {patience: {wait: 4}}]}"})
    studies.push_back(study("tpe", rest + rule + "\n"));
  for (const std::string method : {"random", "gp", "cmaes", "nsga2", "bohb", "auto", "sobol"})
    studies.push_back(study(method, rest + "asha\n"));
  return studies;
}

TEST(StudyMachine, TrialsThatFailedRunAgainAsIfTheyHadNotEnded) {
  int twice = 0, complete = 0;
  for (const StudySpec& spec : disturbed_studies()) {
    const std::string what = spec.method.kind + " " + spec.early_stop.kind;
    Played played(spec);
    const auto alone = played.play(false, 4, 9);
    EXPECT_EQ(Played(spec).play(true, 4, 9), alone) << what;
    const auto times = times_reopened(alone);
    EXPECT_GT(times.size(), 1U) << what;
    EXPECT_EQ(count(alone, "ended"), count(alone, "created") + count(alone, "reopened")) << what;
    EXPECT_EQ(count(alone, "finished"), 1U) << what;
    for (const auto& [trial, n] : times) {
      twice += n > 1;
      complete += played.table().row(trial).state == TrialState::complete;
    }
  }
  EXPECT_GT(twice, 3);
  EXPECT_GT(complete, 10);
}

TEST(StudyMachine, AFinishedStudyGoesOnWithTrialsThatFailed) {
  for (const StudySpec& spec : disturbed_studies()) {
    const std::string what = spec.method.kind + " " + spec.early_stop.kind;
    Played played(spec), restarted(spec);
    (void)played.play(false, 3);
    (void)restarted.play(true, 3);
    const std::int64_t trials = played.table().counts().all();
    ASSERT_GT(played.table().counts().failed, 0) << what;
    played.reopen_all();
    restarted.reopen_all();
    EXPECT_EQ(played.table().counts().failed, 0) << what;
    const auto lines = played.play(false);
    EXPECT_EQ(restarted.play(true), lines) << what;
    EXPECT_EQ(played.table().counts().all(), trials) << what << ": the limit counts them once";
    EXPECT_EQ(played.table().counts().failed, 0) << what;
    EXPECT_EQ(count(lines, "finished"), 2U) << what;
  }
}

TEST(StudyMachine, WhoRunsAgainGoesBeforeNewTrialsAsSlotsGetFree) {
  const StudySpec spec = study("random", "retry: {max: 1, on: [lost]}\nlimits: {trials: 6}\n");
  Told told(spec);
  StudyMachine& machine = told.machine;
  while (const auto next = machine.next(3)) told.happen(next->trial, next->event);
  const Ended lost{TrialState::failed, Cause::lost, "gone"};
  for (const std::uint64_t trial : {0U, 2U}) {
    told.happen(trial, machine.after_attempt(trial, lost));
    EXPECT_EQ(told.table.row(trial).attempts, 2);
    told.happen(trial, machine.after_attempt(trial, lost));
    EXPECT_EQ(told.table.row(trial).cause, Cause::lost);
    told.happen(trial, Reopened{Cause::lost});
    EXPECT_EQ(told.table.row(trial).cause, Cause::none);
    EXPECT_EQ(told.table.row(trial).message, "");
    EXPECT_EQ(told.table.row(trial).attempts, 1);
    EXPECT_EQ(told.table.row(trial).state, TrialState::waiting);
  }
  EXPECT_FALSE(machine.next(1)) << "trial 1 has the slot";
  const auto first = machine.next(2);
  ASSERT_TRUE(first && std::holds_alternative<Resumed>(first->event));
  EXPECT_EQ(first->trial, 0U);
  told.happen(first->trial, first->event);
  told.happen(machine.next(3)->trial, Resumed{});
  EXPECT_TRUE(machine.runs(2));
  EXPECT_TRUE(std::holds_alternative<Created>(machine.next(4)->event));
  EXPECT_TRUE(std::holds_alternative<Retried>(machine.after_attempt(0, lost))) << "counted anew";
}

TEST(StudyMachine, TheLimitOfFailuresCountsNobodyWhoRunsAgain) {
  const StudySpec spec = study("random", "limits: {trials: 12, failed: 2}\nearly_stop: none\n");
  Told told(spec);
  StudyMachine& machine = told.machine;
  while (const auto next = machine.next(3)) told.happen(next->trial, next->event);
  told.happen(0, Reported{.step = 1, .epochs = 1, .value = 1});
  const Ended lost{TrialState::failed, Cause::lost, "gone"};
  for (const std::uint64_t trial : {0U, 1U}) told.happen(trial, lost);
  told.happen({}, machine.hopeless().value());
  ASSERT_TRUE(machine.finished());
  told.happen(1, Reopened{Cause::lost});
  EXPECT_FALSE(machine.finished());
  EXPECT_FALSE(machine.hopeless());
  told.happen(machine.next(3)->trial, Resumed{});
  told.happen(1, lost);
  EXPECT_EQ(machine.hopeless().value().why, Finish::failed);
}

TEST(StudyMachine, TheFirstTrialsSecondFailureEndsTheStudyAgain) {
  const StudySpec spec = study("random", "limits: {trials: 12}\n");
  Told told(spec);
  StudyMachine& machine = told.machine;
  const auto first = machine.next(1);
  told.happen(first->trial, first->event);
  const Ended broken{TrialState::failed, Cause::error, "no such file"};
  told.happen(0, broken);
  told.happen({}, machine.hopeless().value());
  told.happen({}, Opened{});
  told.happen(0, Reopened{Cause::error});
  told.happen(machine.next(1)->trial, Resumed{});
  EXPECT_EQ(machine.first(), 0U);
  told.happen(0, broken);
  EXPECT_EQ(machine.hopeless().value().why, Finish::first);
}

TEST(StudyMachine, ManyFailuresEndTheStudyAtTheTrialThatIsOneTooMany) {
  const StudySpec spec = study("random", "limits: {trials: 12, failed: 2}\nearly_stop: none\n");
  Told told(spec);
  StudyMachine& machine = told.machine;
  while (const auto next = machine.next(3)) told.happen(next->trial, next->event);
  told.happen(1, Reported{.step = 1, .epochs = 1, .value = 1});
  told.happen(1, Ended{TrialState::failed, Cause::lost, "gone"});
  EXPECT_FALSE(machine.hopeless());
  told.happen(2, Ended{TrialState::failed, Cause::timeout, "late"});
  ASSERT_TRUE(machine.hopeless());
  EXPECT_EQ(machine.hopeless()->message, "2 trials failed, the last one by timeout: late");
  EXPECT_EQ(machine.hopeless()->why, Finish::failed);
}

TEST(StudyMachine, AfterTheFirstTrialsFailureANewSessionTriesAnotherOne) {
  const StudySpec spec = study("random", "limits: {trials: 12}\n");
  Told told(spec);
  StudyMachine& machine = told.machine;
  const auto first = machine.next(1);
  told.happen(first->trial, first->event);
  told.happen(0, Ended{TrialState::failed, Cause::error, "no such file"});
  ASSERT_TRUE(machine.hopeless());
  told.happen({}, *machine.hopeless());
  EXPECT_FALSE(machine.next(1));
  EXPECT_TRUE(machine.begins_again());
  told.happen({}, Opened{});
  EXPECT_FALSE(machine.begins_again());
  const auto second = machine.next(1);
  ASSERT_TRUE(second && second->trial == 1);
  EXPECT_EQ(machine.first(), 1U) << "its failure would end the study again";
}

TEST(StudyMachine, PatienceAndTargetEndIt) {
  const StudySpec patient =
      study("random", "limits: {trials: 100, patience: 6}\nearly_stop: none\n");
  Played played(patient);
  const auto lines = played.play(false);
  EXPECT_LT(count(lines, "created"), 60U);
  EXPECT_EQ(played.machine().finished()->why, Finish::patience);
  const StudySpec aims = study("random", "limits: {trials: 100, target: 0.4}\nearly_stop: none\n");
  Played aimed(aims);
  (void)aimed.play(false);
  EXPECT_EQ(aimed.machine().finished()->why, Finish::target);
  EXPECT_LE(aimed.table().best()->value.value(), 0.4);
}

TEST(StudyMachine, AMemberThatIsImpossibleEndsNobodyElse) {
  StudySpec spec = study("random", "limits: {trials: 3}\nearly_stop: none\n");
  spec.method = {"pbt",
                 {{"members", std::int64_t{3}},
                  {"every", std::int64_t{2}},
                  {"quantile", 0.25},
                  {"resample", 0.25},
                  {"factor", 1.2}}};
  spec.explorable = {"x"};
  StudyMachine machine({.study = spec});
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    const auto created = machine.next(1);
    ASSERT_TRUE(created && std::holds_alternative<Created>(created->event)) << trial;
    machine.apply(trial, created->event);
    if (trial == 2) break;
    Reported report{.step = 2, .epochs = 2, .value = 0.5, .metrics = {{"loss", 0.5}}};
    report.decision = machine.answer(trial, report);
    EXPECT_EQ(report.decision, Decision::pause);
    machine.apply(trial, report);
  }
  machine.apply(2, Ended{TrialState::failed, Cause::error, "no such network"});
  const auto next = machine.next(1);
  ASSERT_TRUE(next);
  EXPECT_FALSE(std::holds_alternative<Ended>(next->event)) << "the others wait for a decision";
}

TEST(StudyMachine, AProposalThatIsDroppedIsMadeAgain) {
  const StudySpec spec = study("tpe", "limits: {trials: 4}\n");
  StudyMachine machine({.study = spec});
  const auto dropped = machine.next(1), again = machine.next(1);
  ASSERT_TRUE(dropped && again);
  EXPECT_EQ(std::get<Created>(dropped->event).params, std::get<Created>(again->event).params);
  EXPECT_EQ(machine.created(), 0U);
}

TEST(StudyMachine, WhoNeverEndsGoesOnWhereTheSpaceIsExhausted) {
  StudySpec spec = study("random", "");
  spec.method = {"grid", {}};
  spec.limits.trials.reset();
  spec.space = Space({{.name = "x", .domain = Choice{{std::int64_t{1}, std::int64_t{2}}}}});
  StudyMachine machine({.study = spec, .endless = true});
  for (int i = 0; i < 2; ++i) {
    const auto next = machine.next(machine.running() + 1);
    ASSERT_TRUE(next);
    machine.apply(next->trial, next->event);
  }
  EXPECT_FALSE(machine.next(3));
  for (const std::uint64_t trial : {0U, 1U}) machine.apply(trial, Ended{});
  EXPECT_FALSE(machine.next(3));
  EXPECT_FALSE(machine.finished());
  EXPECT_EQ(machine.over()->why, Finish::exhausted);
}

}  // namespace
}  // namespace hpo
