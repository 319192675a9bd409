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
#include <optional>
#include <string>

#include "hpo/space/params.h"
#include "hpo/space/space.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// What a sampler is made from. `space` outlives the sampler.
struct SamplerSetup {
  const Space& space;
  std::uint64_t seed = 0;  ///< of the study
  Params options;          ///< the kind's options, all present, checked against its KindInfo
};

/// Not thread-safe: the driver's thread calls everything.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// A trial was created, by this sampler's proposal or by hand. Trials are numbered from 0 in this
  /// order.
  virtual void created(std::uint64_t trial, const Params& params) { (void)trial, (void)params; }
  /// A trial reported. `loss` is the objective turned so that lower is better; NaN is worst.
  virtual void reported(std::uint64_t trial, std::int64_t step, double loss) {
    (void)trial, (void)step, (void)loss;
  }
  /// A trial ended: complete, stopped or failed.
  virtual void ended(std::uint64_t trial, TrialState state) { (void)trial, (void)state; }

  /// Parameters for the next trial: a point of the space. Nothing when there is no point left to
  /// propose, ever. `ordinal` counts the proposals of the study from 0.
  [[nodiscard]] virtual std::optional<Params> propose(std::uint64_t ordinal) = 0;
};

}  // namespace hpo
