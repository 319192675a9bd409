#include "hpo/study/population.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/adaptation.h"
#include "hpo/study/goals.h"
#include "hpo/study/places.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"
#include "hpo/study/words.h"
#include "hpo/study/writer.h"
#include "nn/error.h"

namespace hpo::study {

namespace {

using Names = std::set<std::string, std::less<>>;

/// Parameters that belong to a network or its data for life, and those that such ones hang on.
Names inherited(const StudySpec& study) {
  const Node root = written(study);
  const Space& space = study.space;
  Names names;
  for (const char* section : {"network", "data", "resources"})
    if (const Node* node = root.find(section)) collect_names(*node, names);
  for (const char* kind : {"optimizer", "loss"})
    if (const Node* type = root.find_path({"train", kind, "type"})) collect_names(*type, names);
  for (auto i = space.order().rbegin(); i != space.order().rend(); ++i) {
    const Parameter& parameter = space.parameters()[*i];
    if (!names.contains(parameter.name)) continue;
    for (const Condition& condition : parameter.when) names.insert(condition.parameter);
  }
  return names;
}

void require_apart(const StudySpec& study) {
  const std::string& method = study.method.kind;
  const Places& places = *study.places;
  if (study.runs_command) {
    throw StudyError(places.at("command"),
                     base::cat("method ", method,
                               " cannot be used with command, because it copies "
                               "networks; use another method"));
  }
  if (study.early_stop.kind != "none") {
    throw StudyError(
        places.at("early_stop"),
        base::cat("early_stop: ", study.early_stop.kind, " cannot be used with method ", method,
                  ", which replaces bad trials itself; remove early_stop"));
  }
  if (study.limits.patience) {
    throw StudyError(places.at("limits.patience"),
                     base::cat("limits.patience cannot be used with method ", method,
                               ", whose members improve together; remove it, or end the study at a "
                               "good value with limits.target"));
  }
  if (study.adapt) {
    throw StudyError(places.at("adapt"),
                     base::cat("adapt cannot be used with method ", method,
                               ", whose members copy each other's networks; remove one of the two "
                               "(the field reshape of ",
                               method, " can change sizes)"));
  }
  if (study.metric.take != Take::last) {
    throw StudyError(
        place_of_metric(study, 0, "take"),
        base::cat("metric.take: ", to_word(study.metric.take), " cannot be used with method ",
                  method,
                  ", which changes params during training; use last, the value at a trial's end"));
  }
  if (const auto& epochs = study.train.epochs; epochs.varies()) {
    const Node& node = epochs.tree().node();
    throw StudyError(node.at,
                     base::cat("train.epochs is ", node.text, ", but all members of ", method,
                               " train for the same number of epochs, expected an int"));
  }
}

void require_sizes(const StudySpec& study) {
  const std::string& method = study.method.kind;
  const Node& members = *study.method_tree.node().find("members");
  if (study.limits.trials != as_integer(members)) {
    throw StudyError(
        study.places->at("limits.trials"),
        base::cat("limits.trials is ", *study.limits.trials, ", but with method ", method,
                  " each member is a trial, expected ", members.text, ", the value of members"));
  }
  const Node& every = *study.method_tree.node().find("every");
  if (as_integer(every) >= study.max_epochs) {
    throw StudyError(every.at,
                     base::cat("method.every is ", every.text,
                               ", expected less than train.epochs, which is ", study.max_epochs));
  }
}

bool can_be_widened(const nn::ModelSpec& model, const std::string& layer) {
  const nn::Operation widen{.kind = "widen", .layer = layer, .fields = {{"by", std::int64_t{1}}}};
  try {
    (void)nn::reshaped(model, nn::complete(widen));
    return true;
  } catch (const nn::SpecError&) {
    return false;
  }
}

}  // namespace

void add_population_defaults(StudySpec& study) {
  const Node& method = study.method_tree.node();
  if (is_population(method.find("type")->text) && !study.limits.trials)
    study.limits.trials = as_integer(*method.find("members"));
}

void read_population(StudySpec& study) {
  study.explorable.clear();
  study.reshape.clear();
  if (!is_population(study.method.kind)) return;
  if (!study.warm_start.empty()) {
    throw StudyError(study.places->at("warm_start"),
                     base::cat("warm_start cannot be used with method ", study.method.kind,
                               ", whose trials learn only from each other; use another method"));
  }
  require_apart(study);
  require_sizes(study);
  const Names fixed = inherited(study);
  for (const Parameter& parameter : study.space.parameters()) {
    if (!fixed.contains(parameter.name) && !std::holds_alternative<Constant>(parameter.domain))
      study.explorable.push_back(parameter.name);
  }
  const Node& method = study.method_tree.node();
  for (const Node& operation : method.find("reshape")->items) {
    try {
      study.reshape.push_back(nn::complete(read_operation(operation)));
    } catch (const nn::SpecError& error) {
      throw StudyError(operation.at, error.what());
    }
  }
  if (study.explorable.empty() && study.reshape.empty()) {
    throw StudyError(
        method.at, base::cat("method ", study.method.kind,
                             " has nothing to explore, expected a parameter in train, or reshape"));
  }
}

void check_reshapes(const StudySpec& study, const nn::ModelSpec& model) {
  for (std::size_t i = 0; i < study.reshape.size(); ++i) {
    const nn::Operation& operation = study.reshape[i];
    try {
      (void)nn::reshaped(model, operation);
    } catch (const nn::SpecError& error) {
      // A size that does not fit today can do so when the layer has another one.
      const bool resizes = operation.kind == "widen" || operation.kind == "shrink";
      if (resizes && can_be_widened(model, operation.layer)) continue;
      throw StudyError(study.method_tree.node().find("reshape")->items.at(i).at, error.what());
    }
  }
}

}  // namespace hpo::study
