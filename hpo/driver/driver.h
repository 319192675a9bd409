#pragma once
// The study as a state machine over its log.
//
// One loop on one thread: fill free slots with the sampler's proposals, let coroutines go on, take
// the outcome that is due in virtual time, hand it to rule and sampler, write the event; commit
// before it is announced, at most a fifth of a second later. Everything that decides is a function
// of the events so far, so a driver that starts on a log goes on as if it had never been away, and
// the number of workers or the order of real completions changes nothing.

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hpo/driver/checkpoints.h"
#include "hpo/driver/live_trial.h"
#include "hpo/driver/observer.h"
#include "hpo/driver/search.h"
#include "hpo/driver/timeline.h"
#include "hpo/driver/trial_work.h"
#include "hpo/log/event_log.h"
#include "hpo/study/spec.h"
#include "runtime/group.h"
#include "runtime/instance.h"

namespace hpo {

/// What a driver works with; everything outlives it.
struct DriverSetup {
  const StudySpec& study;  ///< its slots are a number (slots_of)
  EventLog& log;           ///< begun, not replayed
  const rt::Runtime& runtime;
  TrialWork& work;
  Observer& observer;
  base::Path folder;                             ///< the study's
  const std::atomic<int>* interrupts = nullptr;  ///< see RunOptions
  std::vector<Changed> changes = {};      ///< what the study file says otherwise than the log
  std::string arithmetic = {};            ///< fingerprint that this process computes with
  std::shared_ptr<rt::Store> store = {};  ///< of the runtime; null: no checkpoints
  std::vector<Known> known = {};          ///< trials of earlier studies
  /// An event waits at most this long for others to share its commit.
  base::Duration commit_delay = std::chrono::milliseconds(200);
};

/// How the loop ended.
enum class DriverEnd : std::uint8_t { finished, interrupted };

/// One use each. Not thread-safe.
class Driver {
 public:
  explicit Driver(DriverSetup setup);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Replays the log and goes on to the end of the study, the best trial's network included. Throws
  /// what the log throws, and base::Error (no_device) for trials that this machine can never run;
  /// the log is then as of its last commit.
  DriverEnd run();

  /// Why the study is over; nothing while it is not.
  [[nodiscard]] const std::optional<Finished>& finished() const { return finished_; }
  [[nodiscard]] WorkCounters work() const;
  [[nodiscard]] double session_seconds() const { return base::seconds_since(started_); }

 private:
  using LivePtr = std::shared_ptr<LiveTrial>;

  // The past, from events (driver_log.cpp).
  void replay();
  void observe(const Event& event);
  void observe_trial(const Event& event);
  /// After the first trial's failure a new session tries another one; true when it is so.
  bool begin_again();
  void open_session();

  // The present: events, from what happens (driver_trials.cpp, driver_pauses.cpp).
  /// False when a proposal was impossible, so that slots may be left.
  bool fill_slots();
  [[nodiscard]] bool may_create() const;
  /// Has a worker do what later proposals need, so that they are not waited for.
  void search_ahead();
  /// Whether it could be started.
  bool create(const Params& params);
  void start(std::uint64_t trial);
  void apply_decisions();
  void stop_given_up();
  void resume_released();
  void resume(std::uint64_t trial);
  void keep_few_waiting();
  void stop_waiting();
  enum class Stands : std::uint8_t;
  void stand(std::uint64_t trial, Stands where);
  void forget(std::uint64_t trial);
  rt::Async<void> attempt(LivePtr trial);
  bool take_due();
  void take_report(LiveTrial& trial, Reported report, double took);
  void take_round(std::uint64_t trial, Adapted round, double took);
  void take_end(std::uint64_t trial, const Ended& end, double took);
  void retry(std::uint64_t trial, const Ended& end, double took);
  void end_trial(std::uint64_t trial, const Ended& end, double took);
  void stop_if_hopeless(std::uint64_t trial, const Ended& end);

  // The loop (driver.cpp).
  void loop();
  void obey_clock();
  /// When nothing runs any more: lets a last trial go on, or ends the study. Whether it did
  /// something.
  bool finish_if_over();
  void finish_if_reached();
  [[nodiscard]] bool winds_down() const;
  void finish(Finish why, std::string message);
  void drop_live();
  [[nodiscard]] bool interrupted() const;
  void pause();
  bool export_best();

  // To the disk, then to the observer (driver_log.cpp).
  void emit(std::optional<std::uint64_t> trial, EventBody body, double took = 0);
  [[nodiscard]] bool commit_is_due() const;
  /// Facts alone are written as `facts` says.
  void commit(base::Durability facts = base::Durability::cached);
  void note_work();
  void keep_checkpoints();
  void announce(const Event& event);
  void show_progress();
  [[nodiscard]] double active_seconds() const { return seconds_before_ + session_seconds(); }

  DriverSetup setup_;
  const StudySpec& study_;
  EventLog& log_;
  Search search_;
  Timeline timeline_;
  std::map<std::uint64_t, LivePtr> live_;
  /// A trial that has not ended runs in a slot, waits for a decision, or has one and waits for a
  /// slot.
  enum class Stands : std::uint8_t { waits, released, runs };
  /// What the log has of such a trial.
  struct Past {
    std::vector<Reported> reports;
    std::vector<LoggedRound> rounds;
    Stands stands = Stands::waits;
    std::optional<std::vector<base::Key>> kept{};  ///< as of its last event, see keep_checkpoints
  };
  std::map<std::uint64_t, Past> pasts_;
  std::size_t running_ = 0;           ///< of pasts_
  std::set<std::uint64_t> released_;  ///< of pasts_

  double now_ = 0;          ///< virtual time of the last event
  bool exhausted_ = false;  ///< the sampler has nothing left
  std::optional<Finished> finished_;
  std::uint64_t first_ = 0;  ///< the trial whose failure before any report ends the study
  std::optional<std::uint64_t>
      exported_;  ///< the trial whose network was written last, until it reports again
  std::string exported_file_;
  Checkpoints checkpoints_;
  std::string arithmetic_before_;  ///< of the session before
  std::exception_ptr fatal_;       ///< ends the loop

  base::Moment started_;
  double seconds_before_ = 0;  ///< active in earlier sessions
  WorkCounters work_before_;
  std::optional<base::Moment> waits_since_;  ///< the oldest event that is not committed
  base::Moment shown_{};
  base::Moment noted_{};
};

}  // namespace hpo
