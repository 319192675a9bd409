#pragma once
// What proposes the parameters of the next trial.
//
// A sampler is a pure function of (seed, space, ordered history, ordinal of the proposal): it is
// told every event of the study once, in the order of the log, and asked in between. The same
// events and the same ordinal give the same proposal, on every machine and in every process;
// nothing else (clock, worker, address, earlier proposals that were thrown away) may play a part.
// That makes a search independent of real time and a resumed study equal to an undisturbed one.
//
// A new sampler is one file pair in this folder and one line in registry.cpp; tests/hpo/samplers
// runs the conformance tests on every line of the registry.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/score.h"
#include "hpo/space/space.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// What a sampler is made from. `space` outlives the sampler.
struct SamplerSetup {
  const Space& space;
  std::uint64_t seed = 0;     ///< of the study
  Params options;             ///< the kind's options, all present, checked against its KindInfo
  std::int64_t max_step = 1;  ///< where a trial ends by itself, in epochs
  /// Names of the parameters that may change while a trial trains; the others belong to its network
  /// and its data.
  std::vector<std::string> explorable = {};
  std::size_t reshapes = 0;  ///< operations that a network copied from another trial may go through
  std::size_t metrics = 1;   ///< that are searched for: one more than a score has `others`
};

/// What a trial that waits goes on with.
struct Resumption {
  std::uint64_t trial = 0;
  /// The trial whose network, as of the step at which both wait, it goes on with; none: it goes on
  /// as it was.
  std::optional<std::uint64_t> source = {};
  Params params = {};  ///< with a source: the trial's from now on
  std::optional<std::size_t> reshape =
      {};  ///< with a source: which operation the copy goes through
};

/// Not thread-safe: one thread at a time calls everything but what work_ahead() gave it.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// A trial was created, by this sampler's proposal or by hand. Trials are numbered from 0 in this
  /// order.
  virtual void created(std::uint64_t trial, const Params& params) { (void)trial, (void)params; }
  /// A trial reported. Where bounds are broken it is worse than every trial that breaks none.
  virtual void reported(std::uint64_t trial, std::int64_t step, const Score& score) {
    (void)trial, (void)step, (void)score;
  }
  /// A trial that has reported waits for a stopping rule: until it is resumed, or ends, it counts
  /// as stopped, which most of those that wait will be.
  virtual void paused(std::uint64_t trial) { (void)trial; }
  /// A trial ended: complete, stopped or failed.
  virtual void ended(std::uint64_t trial, TrialState state) { (void)trial, (void)state; }
  /// A failed trial was reopened (`sweep --retry-failed`) and continues from its last report.
  /// Reports from before the failure are not told again. A sampler forgets the failure as far as it
  /// can; what a generation that is closed has learnt from it stays.
  virtual void reopened(std::uint64_t trial) { (void)trial; }

  /// Parameters for the next trial: a point of the space. Nothing when there is no point left to
  /// propose, ever. `ordinal` counts the proposals of the study from 0.
  [[nodiscard]] virtual std::optional<Params> propose(std::uint64_t ordinal) = 0;

  /// Work for later proposals that may be done beside everything else, handed out once: a function
  /// for any one thread, which may outlive the sampler and throws nothing. A proposal does itself
  /// what it needs of it and was not begun, and waits for the rest, so that it is the same with and
  /// without. Empty: there is none.
  [[nodiscard]] virtual std::function<void()> work_ahead() { return {}; }

  // For samplers that decide about trials half-way; the others need none of it.

  /// Whether a trial that reports at `step` waits until decide() names it. A pure function of its
  /// argument; never so at `max_step`.
  [[nodiscard]] virtual bool pauses(std::int64_t step) const { return (void)step, false; }
  /// What was decided for trials that wait, in trial order: each is named until it was told to be
  /// replaced or to go on. Trials that nobody decides about when nothing else is left to do are
  /// stopped.
  [[nodiscard]] virtual std::vector<Resumption> decide() const { return {}; }
  /// A trial that waits takes over the network of another one, with these params.
  virtual void replaced(std::uint64_t trial, const Params& params) { (void)trial, (void)params; }
  /// A trial that waited goes on.
  virtual void resumed(std::uint64_t trial) { (void)trial; }
};

}  // namespace hpo
