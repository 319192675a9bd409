#pragma once
// What follows from a trial's params, made once and handed along.

#include <memory>

#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "nn/model/slab.h"
#include "nn/model/spec.h"
#include "runtime/on.h"
#include "tasks/device_rule.h"

namespace hpo {

/// A network as trials are born with it; those whose networks look alike share one.
struct BornNetwork {
  nn::ParamSlab::Header header;
  nn::Flops row;  ///< nn::flops_per_row
};

/// Never changes once it was made.
struct TrialPlan {
  TrialSpec spec;
  std::shared_ptr<const BornNetwork> network;  ///< of spec.model
  bool keeps_optimizer = false;                ///< of a model that goes on: its state does, too
};

using PlanPtr = std::shared_ptr<const TrialPlan>;

/// What trial `params` trains, its `shuffle` set. `like`: an earlier plan for this study and data,
/// or null; what it has and no parameter changes is not made again. Throws as materialise does.
[[nodiscard]] PlanPtr plan_trial(const StudySpec& study, const Params& params, const DataInfo& data,
                                 std::uint64_t shuffle, const TrialPlan* like);

/// Which kind of device a trial's tasks are for. `gpus` as a number: all on GPUs or none; `auto`:
/// by the size of the network.
[[nodiscard]] tasks::DeviceRule device_rule(const TrialResources& resources);

/// As long as it lives, calls of tasks are for the kind of device on which a trial's network is
/// trained while it looks like `model`.
[[nodiscard]] rt::On device_for(const nn::ModelSpec& model, const TrialSpec& spec);

}  // namespace hpo
