#include "hpo/export/plot_data.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/log/objective.h"
#include "nn/data/csv_line.h"

namespace hpo {

namespace {

/// The metrics that are searched for, the first one first.
std::vector<std::string> searched_metrics(const StudyReader& study) {
  std::vector<std::string> names{study.info().metric};
  for (const OtherMetric& other : study.objective().others) names.push_back(other.name);
  return names;
}

/// What a trial has of one of them: of the first one its value, which may be its best report.
std::optional<double> searched_value(const TrialRow& trial, const std::string& name, bool first) {
  if (first) return trial.value;
  const double* value = find_metric(trial.metrics, name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// A number of a parameter is 1.0 where it is a float, a measured one is 1.
std::string cell_text(const ParamValue& cell, bool of_parameter) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr && !of_parameter ? base::format_double(*number) : plain_text_of(cell);
}

void add_cell(base::JsonWriter& json, const ParamValue& cell, bool of_parameter) {
  if (of_parameter)
    json.raw(json_of(cell));
  else
    std::visit([&](const auto& value) { json.value(value); }, cell);
}

}  // namespace

PlotData edf_of(const StudyReader& study) {
  const Objective objective = study.objective();
  const std::vector<std::string> names = searched_metrics(study);
  const std::vector<TrialRow> trials = study.trials();
  PlotData data{.columns = {"metric", "value", "share"}, .rows = {}};
  for (const std::string& name : names) {
    std::vector<double> values;
    for (const TrialRow& trial : trials) {
      if (trial.state != TrialState::complete || objective.violation(trial.metrics) > 0) continue;
      const auto value = searched_value(trial, name, &name == names.data());
      if (value && !std::isnan(*value)) values.push_back(*value);
    }
    std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
      const double share = static_cast<double>(i + 1) / static_cast<double>(values.size());
      data.rows.push_back({name, values[i], share});
    }
  }
  return data;
}

PlotData slices_of(const StudyReader& study) {
  const std::vector<std::string> names = searched_metrics(study);
  PlotData data{.columns = {"parameter", "value"}, .rows = {}, .parameters = 1};
  for (const std::string& name : names) data.columns.push_back("metrics." + name);
  data.columns.insert(data.columns.end(), {"trial", "state"});
  const std::vector<TrialRow> trials = study.trials();
  for (const std::string& parameter : study.parameter_names()) {
    for (const TrialRow& trial : trials) {
      const ParamValue* value = trial.params.find(parameter);
      if (value == nullptr || !trial.value) continue;
      std::vector<std::optional<ParamValue>> row{parameter, *value};
      for (const std::string& name : names)
        row.emplace_back(searched_value(trial, name, &name == names.data()));
      row.emplace_back(static_cast<std::int64_t>(trial.trial));
      row.emplace_back(std::string(name_of(trial.state)));
      data.rows.push_back(std::move(row));
    }
  }
  return data;
}

std::string csv_of(const PlotData& data) {
  std::string out;
  {
    nn::CsvLine line(out);
    for (const std::string& column : data.columns) line.cell(column);
  }
  for (const auto& row : data.rows) {
    nn::CsvLine line(out);
    for (std::size_t i = 0; i < row.size(); ++i)
      line.cell(row[i] ? cell_text(*row[i], i == data.parameters) : "");
  }
  return out;
}

std::string json_of(const PlotData& data) {
  std::string out = "[";
  for (const auto& row : data.rows) {
    base::JsonWriter json;
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.key(data.columns[i]);
      if (!row[i])
        json.null();
      else
        add_cell(json, *row[i], i == data.parameters);
    }
    json.end_object();
    out += (out.size() > 1 ? ",\n  " : "\n  ") + std::move(json).text();
  }
  return out + (data.rows.empty() ? "]" : "\n]");
}

}  // namespace hpo
