#include "hpo/study/goals.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/field.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/scalars.h"

namespace hpo {

namespace study {

namespace {

template <class AnyNode>
std::vector<AnyNode*> nodes_of(AnyNode& root) {
  std::vector<AnyNode*> nodes;
  AnyNode* metric = root.find("metric");
  if (metric == nullptr) return nodes;
  if (!metric->is_list()) return {metric};
  for (auto& one : metric->items) nodes.push_back(&one);
  return nodes;
}

Metric read_metric(const Node& node) {
  Metric metric;
  if (const Node* name = node.find("name")) metric.name = name->text;
  if (const Node* goal = node.find("goal"))
    metric.goal = goal->text == "maximize" ? Goal::maximize : Goal::minimize;
  metric.take = node.find("take")->text == "best" ? Take::best : Take::last;
  if (const Node* regex = node.find("regex")) metric.regex = regex->text;
  if (const Node* reference = node.find("reference")) metric.reference = as_number(*reference);
  return metric;
}

Bound read_bound(const Entry& entry) {
  Bound bound{.metric = entry.key};
  if (!entry.value.is_map()) return bound.max = as_number(entry.value), bound;
  if (const Node* min = entry.value.find("min")) bound.min = as_number(*min);
  if (const Node* max = entry.value.find("max")) bound.max = as_number(*max);
  if (bound.min && bound.max && *bound.min > *bound.max) {
    throw Fault(entry.value.at,
                base::cat("subject_to.", entry.key, " has min ", base::format_double(*bound.min),
                          " above max ", base::format_double(*bound.max), ", expected min <= max"));
  }
  return bound;
}

void check_several(const Node& root, const std::vector<const Node*>& nodes) {
  std::vector<std::string> names;
  for (const Node* node : nodes) {
    if (const Node* take = node->find("take"); take->text == "best")
      throw Fault(take->at,
                  "metric.take is best beside other metrics, of which another report may be the "
                  "best, expected last");
    const Node* name = node->find("name");
    if (name == nullptr)
      throw Fault(node->at, "metric.name is missing, expected one for each of several");
    if (std::ranges::find(names, name->text) != names.end())
      throw Fault(name->at, base::cat("metric names ", name->text, " twice, expected once"));
    names.push_back(name->text);
  }
  for (const char* end : {"target", "patience"}) {
    if (const Node* limit = root.find_path({"limits", end}))
      throw Fault(limit->at, base::cat("limits.", end, " is about one metric, but there are ",
                                       nodes.size(), ", expected limits.trials"));
  }
  const Node& method = *root.find("method");
  const std::string& kind = method.find("type")->text;
  if (searches_several(kind)) return;
  throw Fault(method.at, base::cat("method ", kind, " searches for one metric, but there are ",
                                   nodes.size(), ", expected ", either(kinds_for_several())));
}

}  // namespace

std::vector<const Node*> metric_nodes(const Node& root) { return nodes_of(root); }
std::vector<Node*> metric_nodes(Node& root) { return nodes_of(root); }

void read_goals(StudySpec& study, const Node& checked) {
  study.others.clear();
  study.subject_to.clear();
  const std::vector<const Node*> nodes = metric_nodes(checked);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Metric metric = read_metric(*nodes[i]);
    if (i == 0)
      study.metric = std::move(metric);
    else
      study.others.push_back(std::move(metric));
  }
  if (nodes.empty())
    throw Fault(checked.find("metric")->at, "metric is an empty list, expected at least one");
  if (nodes.size() > 1) check_several(checked, nodes);
  if (const Node* reference = nodes.front()->find("reference");
      reference != nullptr && nodes.size() == 1)
    throw Fault(reference->at,
                "metric.reference stands at the only metric, whose trials cover no volume, "
                "expected it beside other metrics");
  const Node* bounds = checked.find("subject_to");
  if (bounds == nullptr) return;
  for (const Entry& entry : bounds->entries) study.subject_to.push_back(read_bound(entry));
}

}  // namespace study

std::vector<std::string> deciding_metrics(const StudySpec& study) {
  std::vector<std::string> names{study.metric.name};
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Metric& metric : study.others) add(metric.name);
  for (const Bound& bound : study.subject_to) add(bound.metric);
  return names;
}

bool measures_latency(const StudySpec& study) {
  return !study.numbers_steps() && std::ranges::count(deciding_metrics(study), study::kLatency) > 0;
}

}  // namespace hpo
