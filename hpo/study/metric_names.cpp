#include "hpo/study/metric_names.h"

#include "nn/metrics/metric.h"

namespace hpo::study {

namespace {

constexpr std::string_view kPart = "valid.";
constexpr std::string_view kCounted[] = {"weights", "inference_flops"};

const nn::Metric* metric_of(std::string_view name) {
  return name.starts_with(kPart) ? nn::find_metric(name.substr(kPart.size())) : nullptr;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names{"valid.loss"};
  for (const nn::Metric* metric : nn::metrics())
    names.push_back(std::string(kPart) + std::string(metric->name));
  names.insert(names.end(), std::begin(kCounted), std::end(kCounted));
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
