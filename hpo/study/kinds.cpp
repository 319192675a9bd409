// The registries of nn and hpo as part of the field table.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/kind.h"
#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/space/value.h"
#include "hpo/stopping/registry.h"
#include "hpo/study/field.h"
#include "hpo/study/plugin.h"
#include "nn/adapt/policy.h"
#include "nn/layers/layer.h"
#include "nn/model/spec.h"
#include "nn/reshape/operation.h"
#include "nn/training/hyper.h"

namespace hpo::study {

namespace {

std::optional<double> finite(double bound) {
  return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
}

Type type_of(base::FieldType type) {
  switch (type) {
    case base::FieldType::boolean:
      return Type::boolean;
    case base::FieldType::integer:
    case base::FieldType::integer_or_word:
      return Type::integer;
    case base::FieldType::real:
      return Type::number;
    case base::FieldType::number_by_name:
      return Type::numbers;
    case base::FieldType::word:
      break;
  }
  return Type::word;
}

/// A default as YAML.
std::string yaml_of(const base::FieldValue& value) {
  const auto text = [](const auto& plain) {
    if constexpr (std::is_same_v<std::decay_t<decltype(plain)>, base::NumberByName>)
      return nn::to_text(plain);
    else
      return text_of(ParamValue(plain));
  };
  return std::visit(text, value);
}

/// Whether the fields of a kind may name a trial's parameters.
enum class Per : std::uint8_t { study, trial };

Field field_of(const base::FieldInfo& info, const std::string& since, Per per) {
  return {.name = info.name,
          .type = type_of(info.type),
          .count = info.piecewise ? Count::one_or_piecewise : Count::one,
          .min = finite(info.min),
          .max = finite(info.max),
          .min_excluded = info.min_excluded,
          .max_excluded = info.max_excluded,
          .words = info.choices,
          .required = !info.value.has_value(),
          .fallback = info.value ? yaml_of(*info.value) : "",
          .unit = info.unit,
          .doc = info.doc,
          .since = since,
          .per_trial = per == Per::trial};
}

Kind kind_of(const base::KindInfo& info, Per per) {
  Kind kind{.name = info.kind,
            .doc = info.doc,
            .since = info.since,
            .block = {.name = info.kind, .type = Type::block}};
  for (const base::FieldInfo& field : info.fields)
    kind.block.fields.push_back(field_of(field, info.since, per));
  return kind;
}

/// A registry as a set; `later` are the design's kinds, of which those already registered are
/// dropped.
KindSet make_set(std::string what, std::span<const base::KindInfo> infos, Per per,
                 const std::vector<std::string>& later = {}) {
  KindSet set{.what = std::move(what), .kinds = {}, .later = {}, .key = "type"};
  for (const base::KindInfo& info : infos) set.kinds.push_back(kind_of(info, per));
  std::ranges::copy_if(later, std::back_inserter(set.later),
                       [&](const auto& name) { return set.find(name) == nullptr; });
  return set;
}

Field layers_field(std::string doc) {
  return {.name = "of",
          .type = Type::kind,
          .count = Count::list,
          .required = true,
          .doc = std::move(doc),
          .per_trial = true,
          .kinds = layer_set};
}

/// The two ends of a residual block as one group of layers; what can be chosen is the end's.
Kind residual_kind() {
  Kind kind = kind_of(nn::layer_kind("residual_end"), Per::trial);
  kind.name = kind.block.name = "residual";
  kind.doc =
      "Residual block: adds the input of a group of layers to their output. Both have the same "
      "shape.";
  kind.block.fields.push_back(layers_field("Layers of the block, first to last."));
  return kind;
}

/// Layers have a name besides their kind's fields, and a group of them can be repeated.
KindSet make_layers() {
  KindSet set = make_set("layer", nn::layer_kinds(), Per::trial);
  std::erase_if(set.kinds, [](const Kind& kind) {
    return nn::layer_of(kind.name).branch() != nn::Branch::none;
  });
  set.kinds.push_back(residual_kind());
  for (Kind& kind : set.kinds) {
    kind.block.fields.push_back(
        {.name = "name",
         .type = Type::text,
         .otherwise = "the kind and a number, such as `dense1` for the first dense layer",
         .doc = "Name of the layer: letters, digits, `_` and `-`. The weights and random numbers "
                "of the layer depend on it.",
         .per_trial = true});
  }
  set.kinds.push_back(
      {.name = "repeat",
       .doc =
           "Repeats a group of layers. In the copies a layer called `fc` becomes `fc1`, `fc2`, ...",
       .since = "0.1.0",
       .block = {.name = "repeat",
                 .type = Type::block,
                 .fields = {{.name = "times",
                             .type = Type::integer,
                             .min = 0,
                             .max = 1000,
                             .required = true,
                             .doc = "Number of repetitions.",
                             .per_trial = true},
                            layers_field("Layers, first to last.")}}});
  return set;
}

/// Operations say which layer they start from.
KindSet make_operations() {
  KindSet set = make_set("reshape operation", nn::operation_kinds(), Per::trial);
  for (Kind& kind : set.kinds) {
    kind.block.fields.insert(kind.block.fields.begin(), {.name = "layer",
                                                         .type = Type::text,
                                                         .required = true,
                                                         .text_is = "the name of a layer",
                                                         .doc = "Name of the layer.",
                                                         .per_trial = true});
  }
  return set;
}

std::vector<Field> fields_of_plugin(const Node& block, bool literal) {
  const nn::PolicyKind* policy = plugin_of(block, literal);
  return policy != nullptr ? kind_of(policy->info, Per::trial).block.fields : std::vector<Field>{};
}

/// Policies can have a timetable, a program or a shared library besides their kind's fields.
KindSet make_policies() {
  KindSet set{.what = "policy", .kinds = {}, .later = {}, .key = "policy", .truth = "auto"};
  for (const nn::PolicyKind& policy : nn::policies()) {
    Kind kind = kind_of(policy.info, Per::trial);
    if (policy.timetable) {
      kind.block.fields.push_back(
          {.name = "at",
           .type = Type::timetable,
           .required = true,
           .doc = "Map from epochs, or fractions of one, to an operation or a list of operations.",
           .per_trial = true,
           .kinds = operation_set});
    }
    if (policy.program) {
      kind.block.fields.push_back(
          {.name = "command",
           .type = Type::text,
           .count = Count::list,
           .required = true,
           .doc = "Program and its arguments. It reads one JSON object and prints one JSON value.",
           .per_trial = true});
      kind.block.fields.push_back({.name = "folder",
                                   .type = Type::text,
                                   .otherwise = "the study file's folder",
                                   .doc = "Working directory of the program. A relative path "
                                          "starts at the study file's folder.",
                                   .place = true});
      kind.block.fields.push_back({.name = "timeout",
                                   .type = Type::duration,
                                   .min = 0.001,
                                   .max = 1e9,
                                   .fallback = "60s",
                                   .doc = "Longest real time that the program may take for an "
                                          "answer. A longer wait fails the trial as `timeout`.",
                                   .per_trial = true});
    }
    if (policy.behind != nullptr) {
      kind.block.fields.push_back(
          {.name = "plugin",
           .type = Type::text,
           .required = true,
           .text_is = "the path of a shared library",
           .doc =
               "Shared library with the policy. A relative path starts at the study file's folder.",
           .place = true});
      kind.block.fields.push_back(
          {.name = "content",
           .type = Type::text,
           .otherwise = "the hash of the file",
           .doc = "Hash of the library's content, 32 digits. A library with other content is "
                  "refused. The hash is part of the study."});
      kind.more = &fields_of_plugin;
    }
    set.kinds.push_back(std::move(kind));
  }
  return set;
}

/// Networks of a population may change their size on their way from one member to another.
KindSet make_samplers() {
  KindSet set = make_set("sampler", sampler_kinds(), Per::study, {"evolution", "hyperband"});
  for (Kind& kind : set.kinds) {
    if (!is_population(kind.name)) continue;
    kind.block.fields.push_back(
        {.name = "reshape",
         .type = Type::kind,
         .count = Count::list,
         .fallback = "[]",
         .doc = "Reshape operations for copies of networks. A copy goes through one of them or "
                "through none, each with the same probability. An operation for which its network "
                "has no room is left out, with a message.",
         .kinds = operation_set});
  }
  return set;
}

/// Rules that count have a unit.
KindSet make_stopping() {
  KindSet set = make_set("stopping rule", stopping_kinds(), Per::study);
  for (Kind& kind : set.kinds) {
    const bool combines = find_stopping_kind(kind.name)->combines;
    if (combines) {
      kind.block.fields.push_back(
          {.name = "of",
           .type = Type::kind,
           .count = Count::list,
           .required = true,
           .doc = base::cat("Rules to combine, all with the same `unit`. `{", kind.name,
                            ": [...]}` is short for `{type: ", kind.name, ", of: [...]}`."),
           .kinds = stopping_set});
    }
    if (kind.block.fields.empty() || combines) continue;
    kind.block.fields.push_back(
        {.name = "unit",
         .type = Type::word,
         .words = {"epochs", "steps", "seconds", "flops"},
         .fallback = "epochs",
         .doc = "Unit in which the rule counts. `steps`: of the optimizer, or as a program reports "
                "them. `seconds`: real time in which the trial's tasks or its program ran, so that "
                "two searches may differ. `flops`: the counted FLOPs of training, scoring and the "
                "candidates of races. In units other than epochs, networks report after every "
                "epoch. A rung is then reached at the end of the first epoch at or beyond it."});
    kind.block.fields.push_back({.name = "metric",
                                 .type = Type::text,
                                 .otherwise = "the only metric; required if there are several",
                                 .text_is = "the name of a metric",
                                 .doc = "Metric that the rule uses, if there are several."});
    kind.block.fields.push_back(
        {.name = "max",
         .type = Type::integer,
         .min = 1,
         .max = 1e15,
         .otherwise = "unknown",
         .unit = "steps",
         .only = "command, ask",
         .doc = "Step at which a program ends by itself. A report at this step is the program's "
                "result, not a rung. A network has `train.epochs` instead."});
  }
  return set;
}

}  // namespace

const KindSet* sampler_set() {
  static const KindSet kSet = make_samplers();
  return &kSet;
}

const KindSet* stopping_set() {
  static const KindSet kSet = make_stopping();
  return &kSet;
}

const KindSet* loss_set() {
  static const KindSet kSet = make_set("loss", nn::loss_kinds(), Per::trial);
  return &kSet;
}

const KindSet* optimizer_set() {
  static const KindSet kSet = make_set("optimizer", nn::optimizer_kinds(), Per::trial);
  return &kSet;
}

const KindSet* schedule_set() {
  static const KindSet kSet = make_set("schedule", nn::schedule_kinds(), Per::trial);
  return &kSet;
}

const KindSet* policy_set() {
  static const KindSet kSet = make_policies();
  return &kSet;
}

const KindSet* operation_set() {
  static const KindSet kSet = make_operations();
  return &kSet;
}

const KindSet* layer_set() {
  static const KindSet kSet = make_layers();
  return &kSet;
}

}  // namespace hpo::study
