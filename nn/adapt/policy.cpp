#include "nn/adapt/policy.h"

#include <algorithm>

#include "base/error.h"
#include "base/words.h"
#include "nn/adapt/guarded.h"
#include "nn/error.h"
#include "nn/model/layout.h"

namespace nn {

const Candidate& Round::accepted() const {
  return *std::ranges::find_if(candidates, &Candidate::accepted);
}

std::string describe(const Operations& operations) {
  if (operations.empty()) return "keep";
  return base::listed(operations, [](const Operation& operation) { return describe(operation); });
}

std::optional<ModelSpec> spec_after(ModelSpec spec, const Operations& operations) {
  try {
    for (const Operation& operation : operations) spec = reshaped(spec, operation);
    return spec;
  } catch (const SpecError&) {
    return std::nullopt;
  }
}

std::string shape_text(const ModelSpec& spec) {
  std::string text = spec.input.text();
  for (const UnitGroup& group : unit_groups(spec)) {
    if (group.name != "input") text += "-" + std::to_string(group.units);
  }
  return text;
}

Turn Policy::answered(const Situation&, std::string_view) {
  throw base::Error(base::Errc::internal, "a policy that asks nobody was answered");
}

std::optional<std::vector<Operations>> Policy::options(const ModelSpec&) const {
  return std::nullopt;
}

double Policy::cost(const ModelSpec& spec) const {
  return static_cast<double>(flops_per_row(spec).forward);
}

void Policy::judge(Round&) const {
  throw base::Error(base::Errc::internal, "a policy that races has to override it");
}

const PolicyKind& policy_of(const Adaptation& adaptation) {
  const PolicyKind& kind = policy_of(adaptation.policy.kind);
  return kind.behind != nullptr ? kind.behind(adaptation) : kind;
}

Adaptation complete(const Adaptation& adaptation) {
  Adaptation out = adaptation;
  const PolicyKind& kind = policy_of(adaptation);
  out.policy.fields = complete(kind.info, adaptation.policy.fields, kind.info.kind);
  for (Planned& planned : out.at) planned.operation = complete(planned.operation);
  std::ranges::stable_sort(out.at, {}, &Planned::epoch);
  return out;
}

ModelSpec born_with(const Adaptation& adaptation, ModelSpec model) {
  if (adaptation.continued) return model;
  const auto birth = policy_of(adaptation).birth;
  return birth != nullptr ? birth(adaptation, model) : std::move(model);
}

std::unique_ptr<Policy> make_policy(const PolicySetup& setup) {
  const PolicyKind& kind = policy_of(setup.adaptation);
  return setup.adaptation.plugin.empty() ? kind.make(setup) : guarded(kind, setup);
}

}  // namespace nn
