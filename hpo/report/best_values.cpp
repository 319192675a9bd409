#include "hpo/report/best_values.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hpo/report/text.h"

namespace hpo::report {

namespace {

constexpr double kOutermost = 0.1;  // part of a range that counts as its end, and of the trials cut

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(at))];
}

}  // namespace

double place_in_range(const ParameterColumn& column, double value) {
  if (!(column.max > column.min)) return 0.5;
  if (column.is_log && column.min > 0 && value > 0)
    return std::log(value / column.min) / std::log(column.max / column.min);
  return (value - column.min) / (column.max - column.min);
}

std::string value_text(const ParameterColumn& column, double value) {
  if (column.is_number) {
    constexpr double kExact = 1e6;
    return column.is_whole && std::abs(value) < kExact ? std::to_string(std::llround(value))
                                                       : number(value);
  }
  const auto word = static_cast<std::size_t>(value);
  return word < column.labels.size() ? column.labels[word] : "none";
}

std::optional<BestValues> best_values(const Gathered& study, const ParameterColumn& column) {
  std::vector<double> values;
  for (std::size_t i = 0; i < column.values.size(); ++i)
    if (study.best_tenth[i] && !std::isnan(column.values[i])) values.push_back(column.values[i]);
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const auto all = static_cast<double>(values.size());
  BestValues best{.trials = values.size()};
  if (column.is_number) {
    best.low = quantile(values, kOutermost);
    best.high = quantile(values, 1 - kOutermost);
    const auto share_of = [&](auto lies) {
      return static_cast<double>(std::ranges::count_if(values, lies)) / all;
    };
    best.at_min = share_of([&](double x) { return place_in_range(column, x) <= kOutermost; });
    best.at_max = share_of([&](double x) { return place_in_range(column, x) >= 1 - kOutermost; });
    return best;
  }
  std::vector<std::size_t> counts(column.labels.size());
  for (const double value : values) ++counts[static_cast<std::size_t>(value)];
  best.word = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  best.share = static_cast<double>(counts[best.word]) / all;
  return best;
}

}  // namespace hpo::report
