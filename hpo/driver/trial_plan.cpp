#include "hpo/driver/trial_plan.h"

#include <utility>

#include "nn/hyper.h"

namespace hpo {

namespace {

/// Whether networks of `spec` are born as `network` is.
bool born_alike(const BornNetwork& network, const TrialSpec& spec) {
  const nn::ParamSlab::Header& header = network.header;
  return header.optimizer == spec.hyper.optimizer.kind &&
         header.slots == nn::optimizer_slots(spec.hyper.optimizer) && header.spec == spec.model;
}

}  // namespace

PlanPtr plan_trial(const StudySpec& study, const Params& params, const DataInfo& data,
                   std::uint64_t shuffle, const TrialPlan* like) {
  TrialPlan plan{.spec = materialise(study, params, data, like ? &like->spec : nullptr),
                 .network = {}};
  plan.spec.hyper.shuffle = shuffle;
  if (like != nullptr && born_alike(*like->network, plan.spec)) {
    plan.network = like->network;
  } else {
    plan.network = std::make_shared<const BornNetwork>(
        BornNetwork{.header = nn::slab_header(plan.spec.model, plan.spec.hyper.optimizer),
                    .row = nn::flops_per_row(plan.spec.model)});
  }
  return std::make_shared<const TrialPlan>(std::move(plan));
}

}  // namespace hpo
