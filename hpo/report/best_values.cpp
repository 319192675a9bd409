#include "hpo/report/best_values.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hpo/report/text.h"

namespace hpo::report {

namespace {

constexpr double kOutermost = 0.1;  // part of a range that counts as its end, and of the trials cut

/// How many of so many sorted values lie outside of the middle, at each end; of few, none do.
std::size_t cut_of(std::size_t values) {
  return static_cast<std::size_t>(kOutermost * static_cast<double>(values - 1));
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
    const std::size_t cut = cut_of(values.size());
    best.low = values[cut];
    best.high = values[values.size() - 1 - cut];
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
