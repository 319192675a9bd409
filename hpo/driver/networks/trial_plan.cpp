#include "hpo/driver/networks/trial_plan.h"

#include <utility>

#include "base/text.h"
#include "hpo/study/from.h"
#include "nn/reshape/continued_net.h"
#include "nn/training/hyper.h"

namespace hpo {

namespace {

/// Whether the state of the model's optimizer goes on.
bool keeps_optimizer(const StudySpec& study, const DataInfo& data, const nn::Choice& optimizer) {
  if (!data.model) return false;
  const From::Optimizer wanted = study.from->optimizer;
  const bool has = data.model->slots > 0 && data.model->optimizer == optimizer.kind;
  if (wanted == From::Optimizer::keep && !has) {
    const bool none = data.model->slots == 0;
    refuse_from(study, "optimizer",
                none ? std::string("expected a model with the state of its optimizer, such as the "
                                   "model-optimizer.safetensors of `train`; this one has none")
                     : base::cat("expected train.optimizer: ", data.model->optimizer,
                                 ", whose state the model has"));
  }
  return has && wanted != From::Optimizer::anew;
}

nn::ParamSlab::Header header_of(const TrialPlan& plan, const DataInfo& data) {
  const nn::Choice& optimizer = plan.spec.hyper.optimizer;
  if (!data.model) return nn::slab_header(plan.spec.model, optimizer);
  return nn::continued_header(*data.model, plan.spec.model, optimizer, plan.keeps_optimizer);
}

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
  plan.keeps_optimizer = keeps_optimizer(study, data, plan.spec.hyper.optimizer);
  if (like != nullptr && born_alike(*like->network, plan.spec)) {
    plan.network = like->network;
  } else {
    plan.network = std::make_shared<const BornNetwork>(
        BornNetwork{.header = header_of(plan, data), .row = nn::flops_per_row(plan.spec.model)});
  }
  return std::make_shared<const TrialPlan>(std::move(plan));
}

tasks::DeviceRule device_rule(const TrialResources& resources) {
  constexpr double kNever = tasks::DeviceRule::kNever;
  if (resources.any_gpu) return {resources.gpu_from.value_or(kNever)};
  return {resources.gpus > 0 ? 0.0 : kNever};
}

rt::On device_for(const nn::ModelSpec& model, const TrialSpec& spec) {
  return rt::On(device_rule(spec.resources).kind_for(model, spec.hyper));
}

}  // namespace hpo
