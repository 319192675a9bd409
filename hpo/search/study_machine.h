#pragma once
// The study as a state machine: what its search decides, and when it is over, follows from its
// ordered events alone. No clock, no thread, no file.
//
// An adapter tells the machine what happened and asks it what happens next; it makes the world
// follow, and writes the log. The adapters: the driver, which runs trials (hpo/driver); programs
// that ask for trials and tell what came of them (hpo/ask, hpo/solver); and the plan, which plays a
// study through on paper (hpo/driver/planning/plan.h). A machine that was told the events of a log
// goes on as the one that wrote it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/trial_table.h"
#include "hpo/search/known.h"
#include "hpo/search/search.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What a machine is made from. `study` and `trials` outlive it.
struct MachineSetup {
  const StudySpec& study;
  const TrialTable* trials = nullptr;  ///< the events so far as a table, which the adapter keeps;
                                       ///< null: no limit looks at values or failures
  std::vector<Known> known = {};       ///< trials of earlier studies
  Search::Around around = {};          ///< see Search
  std::vector<std::string> reshapes = {};  ///< each of study.reshape, as Replaced has operations
  bool endless =
      false;  ///< the study does not end where the space is exhausted: its adapter goes on
};

/// An event that is to happen: to be applied before anything else is asked.
struct Next {
  std::optional<std::uint64_t> trial;  ///< none: about the study
  EventBody event;
};

/// A pure function of the calls made so far. Not thread-safe.
class StudyMachine {
 public:
  /// Throws base::Error (internal) for kinds that are in no registry.
  explicit StudyMachine(MachineSetup setup);

  // What happened.

  /// An event of a log. The decision on a report stands as it was given.
  void replay(const Event& event);
  /// An event that happens now; a report was answered before. A failed trial that is reopened goes
  /// on before new ones begin, and a finished study goes on with it.
  void apply(std::optional<std::uint64_t> trial, const EventBody& event);
  /// The decision on a report that comes now and is to be applied with it. The trial's end, which
  /// follows where the decision is `stop`, is the adapter's to apply.
  [[nodiscard]] Decision answer(std::uint64_t trial, const Reported& report);

  // What happens next.

  /// The next event that follows from what was applied, where `slots` trials may run at once:
  /// a trial is created, goes on (with another one's network), or is stopped while it waits; or the
  /// study is finished. Nothing: the study waits for the trials that run. A proposal may be
  /// dropped; any other event is to be applied.
  [[nodiscard]] std::optional<Next> next(std::size_t slots);
  /// What the end of an attempt leads to: the trial's end, or another attempt (study.retry).
  [[nodiscard]] EventBody after_attempt(std::uint64_t trial, const Ended& end) const;
  /// True if study.retry has another attempt for a trial that failed by `cause` in its last one of
  /// so many.
  [[nodiscard]] bool retries(Cause cause, std::int64_t attempts) const;
  /// Whether the failure of the trial that ended last ends the study.
  [[nodiscard]] std::optional<Finished> hopeless() const;

  // How it stands.

  /// Why the study ended; nothing while it has not.
  [[nodiscard]] const std::optional<Finished>& finished() const { return finished_; }
  /// Why no further trial begins; nothing while one may.
  [[nodiscard]] std::optional<Finished> over() const;
  /// After the failure of the first trial a new session tries another one: whether the next one
  /// does.
  [[nodiscard]] bool begins_again() const;
  /// The trial whose failure before any report ends the study.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Trials that hold a slot.
  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] bool runs(std::uint64_t trial) const;
  /// Trials created so far.
  [[nodiscard]] std::uint64_t created() const { return search_.created(); }
  /// Work for later proposals that may be done beside everything else, see Sampler.
  [[nodiscard]] std::function<void()> work_ahead();

  /// For those who ask when a trial has to report.
  [[nodiscard]] const Search& search() const { return search_; }

 private:
  /// A trial that has not ended runs in a slot, waits for a decision, or has one and waits for a
  /// slot.
  enum class Stands : std::uint8_t { waits, released, runs };
  struct Open {
    Stands stands = Stands::waits;
    std::int64_t epochs = 0;  ///< at its last report
    std::int64_t attempts = 1;
  };
  /// What is looked at next. Turns go through all of it until one brings nothing, so that what
  /// comes next does not depend on when it was asked for.
  enum class Stage : std::uint8_t { limits, decisions, given_up, slots, winding_up };

  void stand(std::uint64_t trial, Stands where);
  void forget(std::uint64_t trial);
  void reopen(std::uint64_t trial, const Reopened& event);
  void take(std::uint64_t trial, const EventBody& event);
  void answer_before(const Event& event);
  void answer_replayed();
  [[nodiscard]] std::optional<Next> next_of_stage(std::size_t slots);
  void queue_resumptions();
  [[nodiscard]] std::optional<Next> fill(std::size_t slots);
  [[nodiscard]] bool waits_for_slot() const;
  [[nodiscard]] std::optional<Next> wind_up();
  [[nodiscard]] std::optional<Finished> reached_now() const;
  [[nodiscard]] std::string failed_text() const;
  [[nodiscard]] bool winds_down() const;

  const StudySpec& study_;
  const TrialTable* trials_;
  std::vector<std::string> reshapes_;
  bool endless_;
  Search search_;

  std::map<std::uint64_t, Open> open_;
  std::size_t running_ = 0;           ///< of open_
  std::set<std::uint64_t> released_;  ///< of open_
  Stage stage_ = Stage::limits;
  bool quiet_ = true;       ///< nothing came of this turn so far
  std::deque<Next> queue_;  ///< of the stage
  bool exhausted_ = false;  ///< the sampler has nothing left
  std::optional<Finished> finished_;
  std::uint64_t first_ = 0;
  std::optional<std::pair<std::uint64_t, Ended>> last_;  ///< the trial that ended last
  /// Of a replayed report of a study whose trials others run: whether the rule saw it the event
  /// behind it tells.
  std::optional<std::pair<std::uint64_t, Reported>> unanswered_;
  double unanswered_at_ = 0;
};

}  // namespace hpo
