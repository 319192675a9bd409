#pragma once
// The names that `metric:` and `subject_to:` take: the loss and every metric of nn/metrics on the
// validation part, how long a row of it takes, and what is counted of a network.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/study/node.h"
#include "nn/data/data_spec.h"

namespace hpo::study {

/// What a network takes to answer a row, in seconds: the one metric that is measured in real time.
inline constexpr std::string_view kLatency = "valid.latency";

/// "valid.loss", "valid.accuracy"..., "valid.latency", "weights", "inference_flops".
[[nodiscard]] std::vector<std::string> metric_names();

/// The same metrics of single targets, "valid.rmse.TARGET", where `data.target` lists
/// several by name.
[[nodiscard]] std::vector<std::string> target_metric_names(const Node& root);

/// What a metric is for; nothing for one that is for both tasks, or for an unknown one.
[[nodiscard]] std::optional<nn::LearningTask> task_of_metric(std::string_view name);

/// Whether more of it is better.
[[nodiscard]] bool is_maximized(std::string_view name);

}  // namespace hpo::study
