#pragma once
// What a study searches for: how the reports of its trials compare.

#include <optional>
#include <string>
#include <vector>

#include "hpo/log/trial_row.h"
#include "hpo/space/bound.h"
#include "hpo/space/score.h"

namespace hpo {

/// A metric besides the study's first one.
struct OtherMetric {
  std::string name;
  bool maximize = false;
  std::optional<double> reference = {};  ///< where the hypervolume begins to count
  bool operator==(const OtherMetric&) const = default;
};

/// How reports become a trial's value, and values good or bad.
struct Objective {
  bool maximize = false;
  bool take_best = false;                ///< the trial's best report instead of its last
  std::optional<double> reference = {};  ///< of the first metric, as OtherMetric has it
  std::vector<OtherMetric> others = {};
  std::vector<Bound> subject_to = {};

  /// Turned so that lower is better; NaN stays NaN.
  [[nodiscard]] double loss(double value) const { return maximize ? -value : value; }
  /// True when value `a` is better than value `b`; NaN is worse than everything.
  [[nodiscard]] bool better(double a, double b) const;

  /// By how much a report breaks the bounds, in sum (Bound::excess); 0: none. Infinite for a metric
  /// that is NaN. A bound on what the report does not have is not broken.
  [[nodiscard]] double violation(const Metrics& metrics) const;
  /// The bounds that a report breaks, for people: "weights = 352330, not weights <= 200000"; empty:
  /// none.
  [[nodiscard]] std::string broken(const Metrics& metrics) const;
  /// What a report says; metrics that it does not have are NaN.
  [[nodiscard]] Score score(double value, const Metrics& metrics) const;
  /// The same of a trial that has a value.
  [[nodiscard]] Score score(const TrialRow& trial) const {
    return score(*trial.value, trial.metrics);
  }

  /// Whether one number tells which trial is better.
  [[nodiscard]] bool plain() const { return others.empty() && subject_to.empty(); }
};

/// True when `a` is better: it breaks no bound or breaks them less, then by the first metric, then
/// by the others one after another.
[[nodiscard]] bool is_better(const Score& a, const Score& b);

/// Whether a trial can be `best`: it ended well, or waits, and has a value that is a number.
[[nodiscard]] bool can_be_best(const TrialRow& trial);

/// Whether `a` is the better of two trials for which can_be_best() holds; their numbers do not
/// count.
[[nodiscard]] bool is_better_trial(const TrialRow& a, const TrialRow& b,
                                   const Objective& objective);

/// The best report of all trials that did not fail, whatever became of them, the lower trial number
/// among equals. Null when none has a value that is a number.
[[nodiscard]] const TrialRow* leader_of(const std::vector<TrialRow>& trials,
                                        const Objective& objective);
/// Whether a trial did not fail and has a value that is a number.
[[nodiscard]] bool can_lead(const TrialRow& trial);
/// Whether `a` has the better report of two that can lead.
[[nodiscard]] bool leads(const TrialRow& a, const TrialRow& b, const Objective& objective);

/// The trial that a study would choose if it ended now: `best`, the first of those that can be
/// best, if it ended; else `leader`, the best report of all. `by_time`: only time ends the study,
/// and then the best report counts, whoever made it.
[[nodiscard]] const TrialRow* choice_now(const TrialRow* best, const TrialRow* leader,
                                         bool by_time);

/// Of trials that can be `best`: those that break no bound first, then complete ones, then stopped,
/// then those of which every metric is a number, then by score, then the lower number. Null when
/// none has a value that is a number.
[[nodiscard]] const TrialRow* best_of(const std::vector<TrialRow>& trials,
                                      const Objective& objective);

}  // namespace hpo
