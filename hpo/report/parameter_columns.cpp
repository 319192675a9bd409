#include "hpo/report/parameter_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "hpo/importance/of_study.h"

namespace hpo::report {

namespace {

constexpr double kInactive = std::numeric_limits<double>::quiet_NaN();

/// Beyond so many, values of a list without a known domain are numbers, not words.
constexpr std::size_t kMostWords = 200;

/// Takes what the domain says. Of a list each value is a word: 16, 32 and 64 stand side by side.
void take_domain(ParameterColumn& column, const Domain& domain, const Gathered& study) {
  if (const auto* range = std::get_if<FloatRange>(&domain)) {
    column.min = range->min;
    column.max = range->max;
    column.is_log = range->scale == Scale::log;
  } else if (const auto* whole = std::get_if<IntRange>(&domain)) {
    column.min = static_cast<double>(whole->min);
    column.max = static_cast<double>(whole->max);
    column.is_log = whole->scale == Scale::log;
    column.is_whole = true;
  } else if (const auto* choice = std::get_if<Choice>(&domain)) {
    column.is_number = false;
    for (const ParamValue& value : choice->values) column.labels.push_back(study.label(value));
  } else {
    column.is_number = false;
    column.labels.push_back(study.label(std::get<Constant>(domain).value));
  }
}

/// Numbers, unless some trial has a word.
void take_values(ParameterColumn& column, const Gathered& study) {
  column.min = INFINITY;
  column.max = -INFINITY;
  column.is_whole = true;
  for (const TrialRow& row : study.trials) {
    const ParamValue* value = row.params.find(column.name);
    if (value == nullptr) continue;
    const auto real = number_of(*value);
    if (!real) column.is_number = false;
    column.is_whole = column.is_whole && std::holds_alternative<std::int64_t>(*value);
    if (!real || !std::isfinite(*real)) continue;
    column.min = std::min(column.min, *real);
    column.max = std::max(column.max, *real);
  }
  if (!(column.min <= column.max)) column.min = column.max = 0;
}

std::size_t place_of(std::vector<std::string>& labels, std::string label) {
  const auto found = std::ranges::find(labels, label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  if (labels.size() >= kMostWords) return kMostWords - 1;
  labels.push_back(std::move(label));
  return labels.size() - 1;
}

void fill(ParameterColumn& column, const Gathered& study, const Domain* domain) {
  const auto* choice = domain != nullptr ? std::get_if<Choice>(domain) : nullptr;
  column.values.assign(study.trials.size(), kInactive);
  for (std::size_t i = 0; i < study.trials.size(); ++i) {
    const ParamValue* value = study.trials[i].params.find(column.name);
    if (value == nullptr) continue;
    if (column.is_number) {
      column.values[i] = number_of(*value).value_or(kInactive);
      continue;
    }
    if (choice != nullptr) {
      const auto known = std::ranges::find(choice->values, *value);
      if (known != choice->values.end()) {
        column.values[i] = static_cast<double>(known - choice->values.begin());
        continue;
      }
    }
    column.values[i] = static_cast<double>(place_of(column.labels, study.label(*value)));
  }
}

}  // namespace

std::vector<ParameterColumn> parameter_columns(const Gathered& study,
                                               const std::vector<std::string>& names) {
  const std::vector<MetricImportance> importances =
      importances_of(study.space, study.trials, study.info.metric, study.objective);
  std::map<std::string, Importance> known;
  for (const Importance& one : importances.front().parameters) known.emplace(one.parameter, one);
  std::vector<ParameterColumn> columns;
  for (const std::string& name : names) {
    ParameterColumn column{.name = name};
    const Parameter* parameter = study.space.find(name);
    const Domain* domain = parameter != nullptr ? &parameter->domain : nullptr;
    if (domain != nullptr)
      take_domain(column, *domain, study);
    else
      take_values(column, study);
    fill(column, study, domain);
    if (const auto found = known.find(name); found != known.end()) {
      column.share = found->second.share;
      column.trials = found->second.trials;
      column.is_searched = true;
    }
    columns.push_back(std::move(column));
  }
  std::ranges::stable_sort(columns, [](const ParameterColumn& a, const ParameterColumn& b) {
    return a.is_searched != b.is_searched ? a.is_searched : a.share > b.share;
  });
  return columns;
}

}  // namespace hpo::report
