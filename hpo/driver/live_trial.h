#pragma once
// A trial that runs: what the driver keeps of it, and what its coroutine sees of the driver.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "hpo/driver/trial_work.h"
#include "hpo/search/search.h"
#include "hpo/search/timeline.h"
#include "runtime/group.h"

namespace hpo {

/// What a trial's coroutine posted and virtual time has not come to yet.
struct Outcome {
  std::variant<Reported, Adapted, Ended> what;
  double busy = 0;  ///< seconds that the attempt's tasks had run by then
  Real real = {};   ///< took: of these, since the outcome before
  std::vector<Noted> notes;
};

/// A round in the log, and how many of the trial's reports come before it.
struct LoggedRound {
  std::size_t reports = 0;
  Adapted round;
};

/// One attempt of a trial. Posts to the timeline; the driver takes outcomes out when they are due.
class LiveTrial final : public TrialContext {
 public:
  /// `logged`, `rounds`: what the log has of the trial. Timeline and search outlive every call (not
  /// the object).
  LiveTrial(std::uint64_t trial, Lineage lineage, std::vector<Reported> logged,
            std::vector<LoggedRound> rounds, Timeline& timeline, const Search& search);

  std::uint64_t trial() const override { return trial_; }
  const Params& params() const override { return lineage_.back().params; }
  const Lineage& lineage() const override { return lineage_; }
  std::span<const Reported> logged() const override { return logged_; }
  void go_on_behind(std::size_t reports) override;
  void segment(double flops) override;
  bool in_past() const override;
  const Adapted* logged_round() const override;
  std::vector<Adapted> rounds_before(std::size_t reports) const override;
  void adapted(Adapted round) override;
  bool replayed() override;
  bool pauses(std::int64_t step) const override { return search_.pauses(step); }
  rt::Async<Decision> report(Report report) override;
  void note(std::string line) override { notes_.push_back({std::move(line)}); }
  void outside(double cost, double seconds) override;
  void took_memory(std::uint64_t bytes) override { memory_ = std::max(memory_, bytes); }
  void when_void(std::function<void()> told) override { when_void_ = std::move(told); }

  /// The coroutine has ended. Without effect on a trial that is void.
  void end(Ended how);
  /// The outcome that is due.
  [[nodiscard]] Outcome take();
  /// Gives the coroutine the decision on the report that it awaits, if it awaits one.
  void answer(Decision decision);
  /// Nothing that the coroutine still does counts: its tasks are cancelled, its outcomes dropped.
  void make_void();
  [[nodiscard]] bool is_void() const { return void_; }

  /// Tasks of the trial belong to it.
  [[nodiscard]] const rt::Group& group() const { return group_; }
  /// Real seconds in which a task of the attempt ran so far; waiting for a worker does not count.
  [[nodiscard]] double busy_seconds() const { return outside_ + base::seconds(group_.busy()); }
  /// What of an outcome differs from run to run that is brought now.
  [[nodiscard]] Real real() const {
    return {.took = busy_seconds() - told_,
            .at = base::wall_micros(),
            .began = began_,
            .memory = memory_};
  }
  /// Whether its time can run out: not once its coroutine has ended.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  void pass(const Reported& report);
  void post(Outcome outcome);

  std::uint64_t trial_;
  Lineage lineage_;
  std::vector<Reported> logged_;
  std::vector<LoggedRound> rounds_;
  Timeline& timeline_;
  const Search& search_;
  rt::Group group_;

  std::size_t next_logged_ = 0;  ///< reports of the log that the coroutine has come past
  std::size_t next_round_ = 0;   ///< the same of rounds
  std::int64_t last_ = 0;        ///< progress at the last report
  double flops_ = 0;
  double used_before_ = 0;  ///< seconds that the rule has counted of earlier attempts
  std::vector<Noted> notes_;
  std::deque<Outcome> outcomes_;
  std::optional<rt::Promise<Decision>> waiting_;
  bool void_ = false;
  bool ended_ = false;
  std::function<void()> when_void_;
  double outside_ = 0;        ///< seconds of work that no task did
  double told_ = 0;           ///< seconds that outcomes taken told of
  std::uint64_t memory_ = 0;  ///< see took_memory()
  std::int64_t began_ = base::wall_micros();
};

}  // namespace hpo
