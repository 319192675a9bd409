#pragma once
// All trials of a study as the events made them: what the driver knows in memory and the log keeps
// as a table.

#include <cstdint>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/lineage.h"
#include "hpo/log/trial_row.h"

namespace hpo {

struct TrialCounts {
  std::int64_t complete = 0, running = 0, stopped = 0, failed = 0, waiting = 0;

  [[nodiscard]] std::int64_t all() const { return complete + running + stopped + failed + waiting; }
  [[nodiscard]] std::int64_t& of(TrialState state);
  bool operator==(const TrialCounts&) const = default;
};

/// How reports become a trial's value.
struct Objective {
  bool maximize = false;
  bool take_best = false;  ///< the trial's best report instead of its last

  /// Turned so that lower is better; NaN stays NaN.
  [[nodiscard]] double loss(double value) const { return maximize ? -value : value; }
  /// True when `a` is better than `b`; NaN is worse than everything.
  [[nodiscard]] bool better(double a, double b) const;
};

/// A pure function of the events applied so far. Not thread-safe.
class TrialTable {
 public:
  explicit TrialTable(Objective objective) : objective_(objective) {}

  /// Takes one event of the log, in order. Throws rt::Error (storage) when it does not fit what
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

  /// The best complete trial, else the best stopped one, else the best that waits; null when none
  /// of them has a value.
  /// Ties: the lower number.
  [[nodiscard]] const TrialRow* best() const;
  /// The best value so far, whatever the state, for displays; null when there is none.
  [[nodiscard]] const TrialRow* leader() const;

 private:
  TrialRow& live(const Event& event);
  void move(TrialRow& row, TrialState state);
  void take(TrialRow& row, const Reported& report);
  void take(TrialRow& row, const Replaced& replaced);

  Objective objective_;
  std::vector<TrialRow> rows_;
  std::vector<Lineage> lineages_;               ///< one a row
  std::vector<std::vector<Adapted>> rounds_;    ///< one a row
  std::vector<std::vector<Reported>> reports_;  ///< one a row
  TrialCounts counts_;
};

}  // namespace hpo
