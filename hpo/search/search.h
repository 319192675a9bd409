#pragma once
// What decides in a study: its sampler and its stopping rule, told the same ordered events.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/trial_table.h"
#include "hpo/samplers/sampler.h"
#include "hpo/search/known.h"
#include "hpo/stopping/rule.h"
#include "hpo/study/spec.h"

namespace hpo {

/// How a study's reports become values.
[[nodiscard]] Objective objective_of(const StudySpec& study);

/// Whether its rule counts in what reports are numbered by: epochs, or a program's steps.
[[nodiscard]] bool counts_epochs(const StudySpec& study);

/// The stopping rule of a study, which counts in study.early_stop_unit; null for a kind that is in
/// no registry.
[[nodiscard]] std::unique_ptr<StoppingRule> rule_of(const StudySpec& study);

/// A pure function of the events it was told. Not thread-safe.
class Search {
 public:
  using Around = std::function<std::unique_ptr<Sampler>(std::unique_ptr<Sampler>)>;

  /// `study` outlives it. The sampler begins with the trials of earlier studies that are `known`;
  /// the rule does not. `around` makes of it what is told and asked in its place. Throws
  /// base::Error (internal) for kinds that are in no registry.
  explicit Search(const StudySpec& study, const std::vector<Known>& known = {},
                  const Around& around = {});

  /// The decision on a report: the rule's, which counts as told to it, or that the trial waits for
  /// the sampler. To be asked once for each report, in order.
  [[nodiscard]] Decision decision_on(std::uint64_t trial, const Reported& report);

  /// Tells an event that happened: the sampler everything, the rule what it was not asked about.
  void tell(std::uint64_t trial, const EventBody& event);

  /// Whether a trial that reports at `step` and is not stopped waits for the sampler.
  [[nodiscard]] bool pauses(std::int64_t step) const { return sampler_->pauses(step); }
  /// What trials that wait go on with.
  [[nodiscard]] std::vector<Resumption> resumptions() const;

  /// The trial that a free slot goes to, of those that the rule paused; `last`: nothing runs and no
  /// new trial will come.
  [[nodiscard]] std::optional<std::uint64_t> promotes(bool last) const {
    return rule_->promotes(last);
  }
  /// Those of them that will never go on.
  [[nodiscard]] std::vector<std::uint64_t> gives_up() const { return rule_->gives_up(); }

  /// The next proposal: of the points that the study tries first, whose open values are the
  /// sampler's where that is allowed, then of the sampler; nothing when the space is exhausted. In
  /// place of a point with which forbid leaves nothing the sampler's.
  [[nodiscard]] std::optional<Params> propose();
  /// Work for later proposals that may be done beside everything else, see Sampler.
  [[nodiscard]] std::function<void()> work_ahead() { return sampler_->work_ahead(); }
  /// Why there was none, a few words for people.
  [[nodiscard]] std::string why_exhausted() const;

  /// Trials created so far.
  [[nodiscard]] std::uint64_t created() const { return created_; }
  /// Whether the decision on a report may be anything but `go`, where the trial's report before was
  /// at `last` in the rule's unit (0: none).
  [[nodiscard]] bool decides(std::int64_t last, const Reported& report) const {
    return rule_->decides(last, progress(report)) || pauses(report.step);
  }
  /// How far a trial is at its report, in the rule's unit.
  [[nodiscard]] std::int64_t progress(const Reported& report) const;
  /// Whether that is measured in seconds, which Reported::used has then.
  [[nodiscard]] bool counts_seconds() const { return unit_ == Unit::seconds; }

 private:
  void tell_known(const std::vector<Known>& known);
  /// What a trial is worth after a report: with `take: best` its best one, as in the log.
  Score score_so_far(std::uint64_t trial, const Reported& report);

  const StudySpec& study_;
  Unit unit_;
  Objective objective_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<StoppingRule> rule_;
  std::uint64_t created_ = 0;
  /// With `take: best`: of trials that run, or failed and may run again.
  std::map<std::uint64_t, Score> best_;
  std::set<std::uint64_t> reopened_;  ///< run for sampler and rule, and wait for a slot
  std::uint64_t known_ = 0;  ///< trials of earlier studies, which the sampler numbers first
};

}  // namespace hpo
