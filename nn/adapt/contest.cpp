#include "nn/adapt/contest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "nn/adapt/judge.h"
#include "nn/error.h"
#include "nn/model/layout.h"

namespace nn {
namespace {

std::int64_t width_of(const ModelSpec& spec, const std::string& layer) {
  const auto groups = unit_groups(spec);
  return std::ranges::find(groups, layer, &UnitGroup::name)->units;
}

/// Whether the operations can be done to `spec` and leave it at `most` weights or fewer (0: any).
bool possible(const ModelSpec& spec, const Operations& operations, std::uint64_t most) {
  const std::optional<ModelSpec> shape = spec_after(spec, operations);
  return shape && (most == 0 || weight_count(*shape) <= most);
}

}  // namespace

std::vector<FieldInfo> contest_fields() {
  const auto flag = [](const char* name, bool value, const char* doc) {
    return FieldInfo{.name = name, .type = FieldType::boolean, .value = value, .doc = doc};
  };
  std::vector<FieldInfo> fields{
      {.name = "until",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "Epoch after which no race begins. 0: the end of the training."},
      {.name = "patience",
       .type = FieldType::integer,
       .min = 1,
       .max = 1e6,
       .value = std::int64_t{2},
       .doc = "Stop racing after N consecutive races that keep the network as it is."},
      flag("widen", true, "Try candidates with `factor` times the units in `layers`."),
      flag("deepen", false, "Try candidates with new layers after one of the layers."),
      flag("shrink", true, "Try candidates with a `factor`-th of the units in `layers`."),
      {.name = "layers",
       .type = FieldType::word,
       .choices = {"each", "all", "both"},
       .value = "both",
       .doc = "Layers whose widths a candidate changes: one layer (`each`), all layers (`all`), or "
              "candidates of both kinds (`both`)."},
      {.name = "factor",
       .min = 1,
       .max = 16,
       .value = 2.0,
       .doc = "Factor by which widths change.",
       .min_excluded = true}};
  std::ranges::move(judge_fields(), std::back_inserter(fields));
  return fields;
}

Contest::Contest(const Adaptation& adaptation) : max_weights_(adaptation.max_weights) {
  const Fields& fields = adaptation.policy.fields;
  allowed_ = {boolean(fields, "widen"), boolean(fields, "deepen"), boolean(fields, "shrink")};
  const std::string& layers = word(fields, "layers");
  each_ = layers != "all";
  all_ = layers != "each";
  factor_ = real(fields, "factor");
}

void Contest::check(const ModelSpec& spec, const std::string& policy) const {
  if (entrants(spec, {true, true, true}).empty()) {
    throw SpecError(-1, "",
                    policy +
                        ": there is nothing to try: no layer of this network can be resized in a "
                        "way that the policy's fields and limits.weights allow");
  }
}

std::vector<Operations> Contest::entrants(const ModelSpec& spec, const Entrants& which) const {
  std::vector<Operations> out;
  const auto enter = [&](Operations operations) {
    if (possible(spec, operations, max_weights_)) out.push_back(std::move(operations));
  };
  const std::vector<std::string> layers = resizable_layers(spec);
  const auto wider = [&](const std::string& layer) {
    const auto units = static_cast<double>(width_of(spec, layer));
    const std::int64_t by = std::max<std::int64_t>(1, std::llround(units * (factor_ - 1)));
    return Operations{{"widen", layer, {{"by", by}}}};
  };
  const auto narrower = [&](const std::string& layer) {
    const std::int64_t units = width_of(spec, layer);
    const auto by = units - std::llround(static_cast<double>(units) / factor_);
    return by > 0 ? Operations{{"shrink", layer, {{"by", by}}}} : Operations{};
  };
  const auto enter_each_and_all = [&](const auto& change) {
    Operations all;
    for (const std::string& layer : layers) {
      const Operations one = change(layer);
      if (one.empty()) continue;
      all.push_back(one.front());
      if (each_ || layers.size() == 1) enter(one);
    }
    if (all_ && all.size() > 1) enter(std::move(all));
  };
  if (which.widen && allowed_.widen) enter_each_and_all(wider);
  for (const std::string& layer : layers) {
    if (which.deepen && allowed_.deepen) enter({{"deepen", layer, {}}});
  }
  if (which.shrink && allowed_.shrink) enter_each_and_all(narrower);
  return out;
}

}  // namespace nn
