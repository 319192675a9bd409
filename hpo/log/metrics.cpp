#include "hpo/log/metrics.h"

#include <algorithm>
#include <cmath>

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

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace hpo
