#pragma once
// All trials of a study as the events made them: what the driver knows in memory and the log keeps
// as a table.

#include <cstdint>
#include <optional>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/lineage.h"
#include "hpo/log/objective.h"
#include "hpo/log/trial_row.h"

namespace hpo {

struct TrialCounts {
  std::int64_t complete = 0, running = 0, stopped = 0, failed = 0, waiting = 0;

  [[nodiscard]] std::int64_t all() const { return complete + running + stopped + failed + waiting; }
  [[nodiscard]] std::int64_t& of(TrialState state);
  bool operator==(const TrialCounts&) const = default;
};

/// A pure function of the events applied so far. Not thread-safe.
class TrialTable {
 public:
  explicit TrialTable(Objective objective);

  /// Takes one event of the log, in order. Throws base::Error (storage) when it does not fit what
  /// came before: a trial that does not exist, one that ended already.
  void apply(const Event& event);

  [[nodiscard]] const Objective& objective() const { return objective_; }
  [[nodiscard]] const std::vector<TrialRow>& rows() const { return rows_; }
  [[nodiscard]] const TrialRow& row(std::uint64_t trial) const { return rows_.at(trial); }
  /// Where the trial's network comes from.
  [[nodiscard]] const Lineage& lineage(std::uint64_t trial) const { return lineages_.at(trial); }
  /// What changed, or could have changed, the shape of the trial's network, in order.
  [[nodiscard]] const std::vector<Adapted>& rounds(std::uint64_t trial) const {
    return rounds_.at(trial);
  }
  /// The trial's reports, in order, where its network adapts; else none.
  [[nodiscard]] const std::vector<Reported>& adapting_reports(std::uint64_t trial) const {
    return reports_.at(trial);
  }
  [[nodiscard]] const TrialCounts& counts() const { return counts_; }

  /// The best trial that ended or waits (best_of), or the leader where time cut the study off: what
  /// trials had reached by then counts. Null when none of them has a value.
  [[nodiscard]] const TrialRow* best() const { return row_of(cut_off_ ? leader_ : best_); }
  /// The best value so far, whatever the state; null when there is none.
  [[nodiscard]] const TrialRow* leader() const { return row_of(leader_); }
  /// What displays call the best so far (choice_now): the choice if the study ended now.
  [[nodiscard]] const TrialRow* best_so_far(bool by_time) const {
    return choice_now(row_of(best_), row_of(leader_), by_time || cut_off_);
  }
  /// The last trial to end complete and better than all that had ended so before; null when none
  /// has.
  [[nodiscard]] const TrialRow* record() const {
    return streak_.record ? &rows_[*streak_.record] : nullptr;
  }
  /// Trials in a row that were no record. Each counts once: when it ends, complete or stopped, or
  /// begins to wait before.
  struct Streak {
    std::optional<std::uint64_t> record = {};  ///< the trial before them
    std::int64_t trials = 0;
  };
  /// The longest there was.
  [[nodiscard]] const Streak& longest_streak() const { return longest_; }

 private:
  /// The first row in an order, the lower number among equals: known at all times, since it is
  /// asked for more often than a long table can be searched.
  struct First {
    bool (*counts)(const TrialRow& row);
    bool (*ahead)(const TrialRow& a, const TrialRow& b, const Objective& objective);
    std::optional<std::uint64_t> trial = {};
  };

  TrialRow& live(const Event& event);
  void reopen(const Event& event);
  void change(const Event& event);
  /// `before`: the row as it was, where it was the first one.
  void follow(First& first, const std::optional<TrialRow>& before, const TrialRow& changed) const;
  void take_end(const TrialRow& row);
  void lengthen_streak(std::uint64_t trial);
  [[nodiscard]] const TrialRow* row_of(const First& first) const {
    return first.trial ? &rows_[*first.trial] : nullptr;
  }
  void move(TrialRow& row, TrialState state);
  void take(TrialRow& row, const Reported& report);
  void take(TrialRow& row, const Replaced& replaced);

  Objective objective_;
  std::vector<TrialRow> rows_;
  std::vector<Lineage> lineages_;               ///< one a row
  std::vector<std::vector<Adapted>> rounds_;    ///< one a row
  std::vector<std::vector<Reported>> reports_;  ///< one a row
  TrialCounts counts_;
  First best_, leader_;
  bool cut_off_ = false;
  Streak streak_, longest_;
  std::vector<bool> counted_;  ///< one a row: in a streak
};

}  // namespace hpo
