#include "hpo/study/metric_names.h"

#include "nn/metrics/metric.h"

namespace hpo::study {

namespace {

constexpr std::string_view kPart = "valid.";
constexpr std::string_view kCounted[] = {"weights", "inference_flops"};

/// Whether a target is a column's number, not its name.
bool is_number(std::string_view target) {
  if (target.starts_with('-')) target.remove_prefix(1);
  return !target.empty() && target.find_first_not_of("0123456789") == target.npos;
}

/// The metric behind "valid.NAME" or "valid.NAME.TARGET".
const nn::Metric* metric_of(std::string_view name) {
  if (!name.starts_with(kPart)) return nullptr;
  name.remove_prefix(kPart.size());
  return nn::find_metric(name.substr(0, name.find('.')));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names{"valid.loss"};
  for (const nn::Metric* metric : nn::metrics())
    names.push_back(std::string(kPart) + std::string(metric->name));
  names.emplace_back(kLatency);
  names.insert(names.end(), std::begin(kCounted), std::end(kCounted));
  return names;
}

std::vector<std::string> target_metric_names(const Node& root) {
  std::vector<std::string> targets, names;
  if (const Node* target = root.find_path({"data", "target"})) {
    for (const Node& column : target->items) {
      if (is_number(column.text)) return names;  // whose name the table knows
      targets.push_back(column.text);
    }
  }
  if (!nn::measured_apart(targets.size())) return names;
  for (const std::string& name : nn::measured_names(nn::TargetKind::numbers, targets)) {
    if (name.find('.') != std::string::npos) names.push_back(std::string(kPart) + name);
  }
  return names;
}

std::optional<nn::LearningTask> task_of_metric(std::string_view name) {
  const nn::Metric* metric = metric_of(name);
  if (metric == nullptr) return std::nullopt;
  return metric->target == nn::TargetKind::labels ? nn::LearningTask::classification
                                                  : nn::LearningTask::regression;
}

bool is_maximized(std::string_view name) {
  const nn::Metric* metric = metric_of(name);
  return metric != nullptr && metric->maximize;
}

}  // namespace hpo::study
