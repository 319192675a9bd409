#pragma once
// What the log knows about one trial, as the read verbs show it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// Metrics in the order in which the trial reported them: "valid.accuracy", "train.loss"...
using Metrics = std::vector<std::pair<std::string, double>>;

/// One trial. NaN and infinities are kept as they are.
struct TrialRow {
  std::uint64_t trial = 0;  ///< number, from 0, in the order of creation
  TrialState state = TrialState::waiting;
  Cause cause = Cause::none;
  std::string message;          ///< one line for people when it failed, else empty
  std::optional<double> value;  ///< the objective: its last report (or best, as the study says);
                                ///< none before the first
  Params params;                ///< active parameters only, in the order of the space; of now
  Metrics
      metrics;  ///< of the report that `value` comes from; test metrics where they were measured
  std::int64_t step = 0;                ///< of the last report: epochs
  std::int64_t epochs = 0;              ///< trained so far
  int attempts = 1;                     ///< 1 + retries
  double seconds = 0;                   ///< real time of its tasks; differs from run to run
  std::optional<std::uint64_t> parent;  ///< the trial whose network it took over last
  double train_flops = 0;               ///< counted, up to the last report
  double inference_flops = 0;           ///< counted, one row forward, as the network is now
  /// Bytes, the most that one of its attempts took, where that is known: differs from run to run.
  std::optional<std::uint64_t> memory = {};
};

/// The network that a trial's value came from.
struct Checkpoint {
  std::int64_t epochs = 0;  ///< that it was trained
  std::string key;          ///< under which the store has it, or empty
};

}  // namespace hpo
