// The metrics. Adding one: a file pair in this folder that defines `const Metric& <name>_metric()`,
// and its line in the list below.

#include <algorithm>

#include "nn/metrics/metric.h"

#define TRELLIS_METRICS(ADD) \
  ADD(accuracy)              \
  ADD(balanced_accuracy)     \
  ADD(f1)                    \
  ADD(auc)                   \
  ADD(mse)                   \
  ADD(rmse)                  \
  ADD(mae)                   \
  ADD(r2)

namespace nn {

#define TRELLIS_DECLARE(name) const Metric& name##_metric();
TRELLIS_METRICS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

std::span<const Metric* const> metrics() {
#define TRELLIS_ENTRY(name) &name##_metric(),
  static const Metric* const kMetrics[] = {TRELLIS_METRICS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kMetrics;
}

std::vector<std::string> measured_names(TargetKind kind, std::span<const std::string> targets) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& behind) {
    for (const Metric* metric : metrics()) {
      if (metric->target == kind) names.push_back(std::string(metric->name) + behind);
    }
  };
  add("");
  if (kind == TargetKind::numbers && measured_apart(targets.size())) {
    for (const std::string& target : targets) add("." + target);
  }
  return names;
}

std::vector<std::string> measured_names(TargetKind kind, std::span<const TargetColumn> targets) {
  std::vector<std::string> names;
  for (const TargetColumn& target : targets) names.push_back(target.name);
  return measured_names(kind, std::span<const std::string>(names));
}

std::vector<std::pair<std::string, double>> measure_all(TargetKind kind, const Judged& judged) {
  std::vector<std::pair<std::string, double>> values;
  for (std::string& name : measured_names(kind, judged.names))
    values.emplace_back(std::move(name), 0);
  auto next = values.begin();
  const auto measure = [&](const Judged& rows) {
    for (const Metric* metric : metrics()) {
      if (metric->target == kind) (next++)->second = metric->value(rows);
    }
  };
  measure(judged);
  for (std::size_t i = 0; next != values.end(); ++i) measure(output_of(judged, i));
  return values;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, [](const Metric* m) { return m->name; });
  return found == metrics().end() ? nullptr : *found;
}

}  // namespace nn
