#pragma once
// What a trial does: the interface between the driver and real or simulated work.
//
//   rt::Async<void> run(TrialContext& trial) override {
//     auto net = ...;
//     for (Segment s : ...) {
//       trial.segment(flops(s));  // before it starts: what it costs in virtual time
//       auto stats = tasks::train(net, ...);
//       if (trial.replayed()) continue;  // the log has its report: nothing to measure again
//       double value = co_await tasks::evaluate(net, ...);
//       if (co_await trial.report({...}) == Decision::stop) co_return;
//     }
//   }
//
// A coroutine's state is never saved. After a restart (or for another attempt) the trial runs from
// the top; it may go on behind reports that the log has, and the runtime's store answers what was
// done.

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "hpo/log/calibration.h"
#include "hpo/log/event.h"
#include "hpo/log/lineage.h"
#include "hpo/log/study_reader.h"
#include "hpo/log/trial_table.h"
#include "hpo/log/verdict.h"
#include "nn/evaluation/difference.h"
#include "runtime/async.h"

namespace hpo {

/// A trial's report at the end of a segment.
struct Report {
  std::int64_t step = 0;    ///< epochs; ascending within a trial
  std::int64_t epochs = 0;  ///< trained so far
  double value = 0;         ///< the objective as the study file names it; may be NaN
  Metrics metrics;
  std::string checkpoint;      ///< the key under which the store has the network, or empty
  std::string shape;           ///< sizes of the layers of a network that adapts: "784-64-10"
  std::uint64_t weights = 0;   ///< of a network that adapts
  double inference_flops = 0;  ///< the same: counted, one row forward
  std::int64_t steps = 0;      ///< of its optimizer, where the rule counts them
  bool over = false;           ///< the trial has ended by itself: no rule stops it any more
};

/// The event that a report becomes when nothing was decided about it yet. `flops`: counted, since
/// the trial's beginning.
[[nodiscard]] inline Reported event_of(Report report, double flops) {
  return {.step = report.step,
          .epochs = report.epochs,
          .value = report.value,
          .flops = flops,
          .metrics = std::move(report.metrics),
          .decision = Decision::go,
          .checkpoint = std::move(report.checkpoint),
          .shape = std::move(report.shape),
          .weights = report.weights,
          .inference_flops = report.inference_flops,
          .used = static_cast<double>(report.steps),
          .over = report.over};
}

/// Thrown by a trial that failed in a way the log has a word for; any other exception counts as
/// Cause::error (std::bad_alloc as Cause::out_of_memory).
class TrialFailure : public std::exception {
 public:
  TrialFailure(Cause cause, std::string message) : cause_(cause), message_(std::move(message)) {}
  [[nodiscard]] Cause cause() const noexcept { return cause_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  Cause cause_;
  std::string message_;
};

/// A trial's view of its driver. Lives until the trial's coroutine has ended.
class TrialContext {
 public:
  virtual ~TrialContext() = default;

  [[nodiscard]] virtual std::uint64_t trial() const = 0;
  [[nodiscard]] virtual const Params& params() const = 0;
  /// Where the trial's network comes from: its last stage is the one that this attempt is for.
  /// Where there is one before it, the attempt begins with the network that the one before it ended
  /// with.
  [[nodiscard]] virtual const Lineage& lineage() const = 0;
  /// The trial's reports that the log had when this attempt began, in order.
  [[nodiscard]] virtual std::span<const Reported> logged() const = 0;

  /// Goes on behind the first `reports` logged ones, for an attempt that takes its network from
  /// there instead of the beginning. Before the first segment.
  virtual void go_on_behind(std::size_t reports) = 0;

  /// A segment of work begins that costs `flops` (counted, never measured) and ends with a report,
  /// a round or the trial; or the segment that is on is found to cost so much more. Its cost is its
  /// length in virtual time.
  virtual void segment(double flops) = 0;

  /// Whether the log has more of this trial than the coroutine has come past.
  [[nodiscard]] virtual bool in_past() const = 0;

  /// The next round of the trial where the log has it before the next logged report; null where
  /// not. What the log says stands: it is to be repeated instead of raced again.
  [[nodiscard]] virtual const Adapted* logged_round() const = 0;

  /// The rounds that the log has before its first `reports` reports of the trial, in order.
  [[nodiscard]] virtual std::vector<Adapted> rounds_before(std::size_t reports) const = 0;

  /// Hands in what came of a turn of an adapting network. One that repeats logged_round() is not
  /// logged again.
  virtual void adapted(Adapted round) = 0;

  /// Whether the log has the report of the segment that began last. If so it is taken as given, and
  /// counts as reported.
  [[nodiscard]] virtual bool replayed() = 0;

  /// Whether a report at `step` waits for a decision that may replace the trial's network. One
  /// whose network is no good any more then reports NaN instead of failing; where the decision is
  /// `go` all the same, nobody had a better one.
  [[nodiscard]] virtual bool pauses(std::int64_t step) const = 0;

  /// Hands in the report of the segment. The decision comes at once where the rule has nothing to
  /// decide, else when it is the report's turn in virtual time. Only for a segment that was not
  /// replayed.
  [[nodiscard]] virtual rt::Async<Decision> report(Report report) = 0;

  /// Puts a line for people into the log, as an event before the trial's next outcome.
  virtual void note(std::string line) = 0;

  /// Work that no task of the runtime does: the next outcome comes `cost` later in virtual time,
  /// and took so many real seconds.
  virtual void outside(double cost, double seconds) { (void)cost, (void)seconds; }

  /// The attempt has taken that many bytes of memory at once: counts with its next outcome.
  virtual void took_memory(std::uint64_t bytes) { (void)bytes; }

  /// `told` is called, once, when nothing that the attempt does counts any more.
  virtual void when_void(std::function<void()> told) { (void)told; }
};

/// What is known of a trial before any work.
struct TrialFacts {
  double inference_flops = 0;  ///< one row forward
};

/// The best trial's network, written.
struct ExportedModel {
  std::string file;  ///< relative to the study's folder; empty when there is nothing to write
  Metrics metrics;   ///< of the test part
  std::string note;  ///< a line for the log, or empty
  ConfusionTable confusion = {};
  std::optional<Verdict> verdict = {};         ///< none if nobody judges
  std::optional<Calibrated> calibration = {};  ///< likewise, and if numbers are predicted
  /// How sure the metrics of the test part are, beside a verdict.
  std::vector<std::pair<std::string, nn::Estimate>> estimates = {};
};

/// What trials do. Everything is called on the driver's thread, inside a rt::Runtime.
class TrialWork {
 public:
  virtual ~TrialWork() = default;

  /// Facts of a proposal. Pure and quick. Throws base::Error where no network can be made from it:
  /// the trial then fails.
  [[nodiscard]] virtual TrialFacts facts(const Params& params) {
    return (void)params, TrialFacts{};
  }

  /// One attempt of a trial, from its beginning. Results depend on the lineage (and the study)
  /// alone, never on the trial's number.
  [[nodiscard]] virtual rt::Async<void> run(TrialContext& trial) = 0;

  /// Evaluates the network of a trial that ended on data never searched on, and writes it. `trials`
  /// are all that there are; they outlive the coroutine.
  [[nodiscard]] virtual rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                                        const TrialTable& trials) = 0;

  /// Hands what came from outside the runtime to the trials that wait for it; what made it come
  /// called rt::wake(). Called on every turn of the driver's loop.
  virtual void turn() {}

  /// Whether an attempt that waits for a decision stays as it is. One that does not becomes void,
  /// and when the trial goes on, another attempt begins behind the trial's reports.
  [[nodiscard]] virtual bool can_wait() const { return true; }

  /// The end of what a trial printed, line by line.
  [[nodiscard]] virtual std::vector<std::string> last_lines(std::uint64_t trial) const {
    return (void)trial, std::vector<std::string>{};
  }

  /// Networks that a trial trains side by side: each epoch of a trial counts for each of them.
  [[nodiscard]] virtual std::int64_t networks() const { return 1; }

  /// What was done in this session.
  [[nodiscard]] virtual WorkCounters counters() const { return {}; }
};

}  // namespace hpo
