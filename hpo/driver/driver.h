#pragma once
// Runs a study: the adapter between its state machine (hpo/search/study_machine.h) and the world.
//
// One loop on one thread: do what the machine says comes next, let coroutines go on, take the
// outcome that is due in virtual time, tell the machine, write the event; commit before it is
// announced, at most a fifth of a second later. Everything that decides is a function of the events
// so far, so a driver that starts on a log goes on as if it had never been away, and the number of
// workers or the order of real completions changes nothing.

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hpo/driver/live_trial.h"
#include "hpo/driver/networks/checkpoints.h"
#include "hpo/driver/observer.h"
#include "hpo/driver/trial_work.h"
#include "hpo/log/event_log.h"
#include "hpo/search/study_machine.h"
#include "hpo/search/timeline.h"
#include "hpo/study/spec.h"
#include "runtime/group.h"
#include "runtime/instance.h"

namespace hpo {

/// What a driver works with; everything outlives it.
struct DriverSetup {
  const StudySpec& study;  ///< its slots are a number (slots_of), at least as many as `slots` says
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
  /// Trials that failed by it run again; `none`: by any cause.
  std::optional<Cause> retry_failed = {};
  /// Trials at once where agents come and go; null: as many as the study has slots.
  std::function<std::int64_t()> slots = {};
  /// Called at every turn of the loop; throws base::Error where the study cannot go on. Null: it
  /// can.
  std::function<void()> require = {};
  /// Called in place of waiting for an event, where time is simulated; null: the thread waits.
  std::function<void()> pass_time = {};
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
  /// what the log and DriverSetup::require throw, and base::Error (no_device) for trials that this
  /// machine can never run; the log is then as of its last commit.
  DriverEnd run();

  /// Why the study is over; nothing while it is not.
  [[nodiscard]] const std::optional<Finished>& finished() const { return machine_.finished(); }
  [[nodiscard]] WorkCounters work() const;
  /// Trials that have a slot.
  [[nodiscard]] std::size_t running() const { return machine_.running(); }
  [[nodiscard]] double session_seconds() const { return base::seconds_since(started_); }

 private:
  using LivePtr = std::shared_ptr<LiveTrial>;
  [[nodiscard]] std::size_t slots() const;
  static constexpr double kUseFirst = 5;  ///< seconds before a session's use of devices is written

  // The loop (driver.cpp).
  void loop();
  [[nodiscard]] std::optional<Finished> out_of_time() const;
  void obey_clock();
  [[nodiscard]] bool interrupted() const;
  void wait_for_event();
  bool export_best();

  // What the machine says comes next (driver_trials.cpp).
  /// False when a proposal was impossible, so that slots may be left.
  bool follow(std::size_t slots);
  bool perform(const Next& next);
  bool create(std::uint64_t trial, Created created);
  void resume(std::uint64_t trial);
  void finish(const Finished& end);
  void end_with_first();

  // Attempts, and what comes of them (driver_trials.cpp).
  void start(std::uint64_t trial);
  rt::Async<void> attempt(LivePtr trial);
  bool take_due();
  void take_report(LiveTrial& trial, Reported report, const Real& real);
  void take_end(std::uint64_t trial, const Ended& end, const Real& real = {});
  void end_trial(std::uint64_t trial, const Ended& end, const Real& real = {});
  void keep_few_waiting();
  void drop(std::uint64_t trial);
  void drop_all();

  // From the log, to the log, then to the observer (driver_log.cpp).
  void replay();
  void open_session();
  [[nodiscard]] std::optional<Finished> over_all_the_same() const;
  void reopen_cut_short();
  void retry_failed();
  void reopen_failed(Cause cause);
  void remember(std::optional<std::uint64_t> trial, const EventBody& event);
  /// An event happens: machine and log take it.
  void emit(std::optional<std::uint64_t> trial, EventBody event, const Real& real = {});
  [[nodiscard]] bool commit_is_due() const;
  [[nodiscard]] bool is_said_by_end(const Event& event) const;
  /// Facts alone are written as `facts` says.
  void commit(base::Durability facts = base::Durability::cached);
  void note_work();
  void note_use();
  void keep_checkpoints();
  void show_progress();
  [[nodiscard]] double active_seconds() const { return seconds_before_ + session_seconds(); }

  DriverSetup setup_;
  const StudySpec& study_;
  EventLog& log_;
  StudyMachine machine_;
  Timeline timeline_;
  std::map<std::uint64_t, LivePtr> live_;
  /// What the log has of a trial that has not ended.
  struct Past {
    std::vector<Reported> reports;
    std::vector<LoggedRound> rounds;
    std::optional<std::vector<base::Key>> kept{};  ///< as of its last event, see keep_checkpoints
  };
  std::map<std::uint64_t, Past> pasts_;
  /// Of trials that failed in earlier sessions, until it is known whether they are reopened.
  std::map<std::uint64_t, Past> failed_pasts_;
  bool replays_ = true;  ///< the session has yet to begin

  double now_ = 0;  ///< virtual time of the last event
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
  double use_due_ = kUseFirst;  ///< of the session's seconds: when note_use() is due
};

}  // namespace hpo
