#include "hpo/search/diverged.h"

#include <cmath>

#include "base/text.h"

namespace hpo {

namespace {

std::string reason(const Metric& metric, double value, std::int64_t step) {
  const bool best = std::isinf(value) && (value > 0) == (metric.goal == Goal::maximize);
  if (!std::isnan(value) && !best) return "";
  return base::cat(metric.name, " is ", best ? "infinite" : "not a number", " at step ", step);
}

}  // namespace

std::string reason_diverged(const StudySpec& study, double value, const Metrics& metrics,
                            std::int64_t step) {
  if (std::string first = reason(study.metric, value, step); !first.empty()) return first;
  for (const Metric& other : study.others) {
    const double* number = find_metric(metrics, other.name);
    if (number == nullptr) continue;
    if (std::string why = reason(other, *number, step); !why.empty()) return why;
  }
  return "";
}

}  // namespace hpo
