#include "hpo/study/population.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/adaptation.h"
#include "hpo/study/document.h"
#include "hpo/study/goals.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"
#include "nn/error.h"

namespace hpo::study {

namespace {

using Names = std::set<std::string, std::less<>>;

/// Parameters that belong to a network or its data for life, and those that such ones hang on.
Names inherited(const Node& root, const Space& space) {
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

const Node& chosen(const Node& root) { return *root.find("method"); }

void require_apart(const Node& root) {
  const std::string& method = chosen(root).find("type")->text;
  if (const Node* command = root.find("command")) {
    throw Fault(command->at, base::cat("command stands beside method ", method,
                                       ", which copies networks, expected another method"));
  }
  if (const Node& rule = *root.find("early_stop"); rule.find("type")->text != "none") {
    throw Fault(rule.at, base::cat("early_stop is ", rule.find("type")->text, ", but ", method,
                                   " replaces what a rule would stop, expected none"));
  }
  if (const Node* patience = root.find_path({"limits", "patience"})) {
    throw Fault(patience->at, base::cat("limits.patience stands beside method ", method,
                                        ", whose members become better together, expected no "
                                        "patience; limits.target ends it at a good value"));
  }
  if (const Node* adapt = root.find("adapt")) {
    throw Fault(adapt->at, base::cat("adapt stands beside method ", method,
                                     ", whose members take over each other's networks, expected "
                                     "one of the two; ",
                                     method, " can change their size by its field reshape"));
  }
  if (const Node& take = *metric_nodes(root).front()->find("take"); take.text != "last") {
    throw Fault(take.at,
                base::cat("metric.take is ", take.text, ", but params change while ", method,
                          " trains, expected last: the value of what a trial is "
                          "in the end"));
  }
  if (const Node& epochs = *root.find_path({"train", "epochs"}); epochs.text[0] == '$') {
    throw Fault(epochs.at, base::cat("train.epochs is ", epochs.text, ", but the members of ",
                                     method, " train equally long, expected an int"));
  }
}

void require_sizes(const StudySpec& study, const Node& root) {
  const std::string& method = study.method.kind;
  const Node& members = *chosen(root).find("members");
  if (study.limits.trials != as_integer(members)) {
    const Node& trials = *root.find_path({"limits", "trials"});
    throw Fault(trials.at,
                base::cat("limits.trials is ", trials.text, ", but a trial is a member of ", method,
                          ", expected its members, which are ", members.text));
  }
  const Node& every = *chosen(root).find("every");
  if (as_integer(every) >= study.max_epochs) {
    throw Fault(every.at,
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

void add_population_defaults(Node& root) {
  if (!is_population(chosen(root).find("type")->text)) return;
  const Node members = *chosen(root).find("members");
  if (root.find("limits") == nullptr)
    root.entries.push_back({"limits", members.at, map_node(members.at)});
  Node& limits = *root.find("limits");
  if (limits.find("trials") == nullptr) limits.entries.push_back({"trials", members.at, members});
}

void read_population(StudySpec& study, const Node& root) {
  study.explorable.clear();
  study.reshape.clear();
  if (!is_population(study.method.kind)) return;
  if (const Node* known = root.find("warm_start")) {
    throw Fault(known->at, base::cat("warm_start stands beside method: ", study.method.kind,
                                     ", whose trials learn from each other alone, expected another "
                                     "method"));
  }
  require_apart(root);
  require_sizes(study, root);
  const Names fixed = inherited(root, study.space);
  for (const Parameter& parameter : study.space.parameters()) {
    if (!fixed.contains(parameter.name) && !std::holds_alternative<Constant>(parameter.domain))
      study.explorable.push_back(parameter.name);
  }
  const Node& reshape = *chosen(root).find("reshape");
  for (const Node& operation : reshape.items) {
    try {
      study.reshape.push_back(nn::complete(read_operation(operation)));
    } catch (const nn::SpecError& error) {
      throw Fault(operation.at, error.what());
    }
  }
  if (study.explorable.empty() && study.reshape.empty()) {
    throw Fault(chosen(root).at,
                base::cat("method ", study.method.kind,
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
      throw Fault(chosen(study.document->root).find("reshape")->items.at(i).at, error.what());
    }
  }
}

}  // namespace hpo::study
