#pragma once
// What decides, from reported values, whether a trial goes on.
//
// A rule is a pure function of (space of steps, options, ordered reports): it is told every report
// and every end of a trial once, in the order of the log, and answers each report with a decision.
// The same events give the same decisions on every machine. It answers at once and never looks at a
// clock.
//
// A new rule is one file pair in this folder and one line in registry.cpp; tests/hpo/stopping runs
// the conformance tests on every line of the registry.

#include <cstdint>
#include <optional>
#include <vector>

#include "hpo/space/chosen.h"
#include "hpo/space/params.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// The answer to a report. `pause`: the trial waits, and gives its slot to another one, until it is
/// decided about.
enum class Decision : std::uint8_t { go, stop, pause };

/// What a rule is made from.
struct RuleSetup {
  std::int64_t max_step =
      1;           ///< where a trial ends by itself, in units of the resource
                   ///< (train.epochs; where nobody knows it, as with FLOPs: the largest number)
  Params options;  ///< the kind's options, all present, checked against its KindInfo
  bool maximize = false;  ///< the metric's goal; the losses that a rule sees are turned already
  std::vector<Chosen> of = {};  ///< of a kind that combines: its rules
};

/// Not thread-safe: the driver's thread calls everything.
class StoppingRule {
 public:
  virtual ~StoppingRule() = default;

  /// Whether the answer to a report at `step` (what the trial has used of the resource by then:
  /// epochs, or counted FLOPs), where the trial's report before was at `last` (0:
  /// none), may be anything but `go`. A pure function of its arguments: where this is false a trial
  /// runs on without waiting, and need not report at all; a rule that never decides sees a report
  /// after every epoch. The end of a trial, `max_step`, is always reported; the decision there has
  /// no effect.
  [[nodiscard]] virtual bool decides(std::int64_t last, std::int64_t step) const = 0;

  /// A trial reported: `loss` is the objective turned so that lower is better; NaN is worst. The
  /// decision about that trial.
  [[nodiscard]] virtual Decision reported(std::uint64_t trial, std::int64_t step, double loss) = 0;

  /// A trial ended: complete, stopped or failed.
  virtual void ended(std::uint64_t trial, TrialState state) { (void)trial, (void)state; }
  /// A failed trial was reopened (`sweep --retry-failed`) and continues from its last report.
  /// Reports from before the failure are not told again, so a rule keeps its state of failed
  /// trials.
  virtual void reopened(std::uint64_t trial) { (void)trial; }

  // For rules that pause trials; the others need none of it.

  /// Whether a decision of this rule may be `pause`.
  [[nodiscard]] virtual bool pauses() const { return false; }
  /// The paused trial that a free slot goes to; nothing: it may go to a new one. `last`: nothing
  /// runs and no new trial will come. A function of what the rule was told; named until it is
  /// resumed. Trials that are not named when nothing else is left to do are stopped.
  [[nodiscard]] virtual std::optional<std::uint64_t> promotes(bool last) const {
    return (void)last, std::nullopt;
  }
  /// Paused trials that will never go on, in trial order: they are stopped at once.
  [[nodiscard]] virtual std::vector<std::uint64_t> gives_up() const { return {}; }
  /// A paused trial goes on.
  virtual void resumed(std::uint64_t trial) { (void)trial; }
};

}  // namespace hpo
