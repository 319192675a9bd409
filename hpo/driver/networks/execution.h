#pragma once
// How the steps of one training run: in this process, by a gang, or in stages (tasks/step_cost.h).

#include <optional>
#include <string>
#include <vector>

#include "hpo/driver/nodes/gang_hosts.h"
#include "hpo/driver/sweep.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "runtime/place/device_model.h"
#include "tasks/gang.h"
#include "tasks/step_cost.h"

namespace hpo {

/// Returns what a step takes in each way, of those that a choice leaves open; empty: a network of
/// this study is trained as ever, because it is not trained alone, or not on cores.
[[nodiscard]] std::vector<tasks::StepCost> open_ways(const StudySpec& study, const TrialSpec& spec,
                                                     const Params& params,
                                                     const rt::Platform& platform,
                                                     const tasks::StepPlaces& places);

/// "gang:2, about 13.1 ms a step (serial 24.0 ms, shards 15.2 ms)": the chosen way, and the
/// quickest of each other kind.
[[nodiscard]] std::string describe(const std::vector<tasks::StepCost>& costs);

/// The way that tasks of this process train, from begin() on for as long as it lives. It outlives
/// the runtime, whose tasks use it.
class Execution {
 public:
  Execution() = default;
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Takes what the options say, or chooses. Returns a line that says what was chosen; empty:
  /// nothing was. Throws base::Error (usage) for a network that cannot be trained so.
  std::string begin(const StudySpec& study, const TrialSpec& spec, const Params& params,
                    const RunOptions& options, int workers, int gpus);
  /// Starts the other members of a gang, if there is one.
  void start_members(const StudySpec& study, const RunOptions& options);

  /// Takes what happened to members since the last call, a line each.
  [[nodiscard]] std::vector<std::string> take_news();
  void take(TrainResult& result) const;

 private:
  int members_ = 1, stages_ = 1;
  std::optional<GangHosts> hosts_;
  std::optional<tasks::Gang> gang_;
};

}  // namespace hpo
