#include "hpo/log/metrics.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hpo {

const double* find_metric(const Metrics& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics, name, &Metrics::value_type::first);
  return found == metrics.end() ? nullptr : &found->second;
}

void put_metric(Metrics& metrics, const std::string& name, double value) {
  const auto found = std::ranges::find(metrics, name, &Metrics::value_type::first);
  if (found == metrics.end())
    metrics.emplace_back(name, value);
  else
    found->second = value;
}

std::string tested_as(const std::string& metric) {
  const std::size_t dot = metric.find('.');
  return dot == std::string::npos ? metric : base::cat("test", metric.substr(dot));
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace hpo
