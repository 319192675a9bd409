#include "nn/data/table_fit.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "nn/data/data_error.h"
#include "nn/fields.h"

namespace nn {

namespace {

constexpr std::size_t kNamed = 10;  // missing columns in one message

/// 3 for "c3"; nothing for a name of its own.
std::optional<std::size_t> number_of(const std::string& name) {
  std::size_t number = 0;
  if (!name.starts_with('c')) return {};
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

bool is_numbered(const std::vector<FeatureColumn>& columns) {
  return std::ranges::all_of(columns, [](const auto& c) { return number_of(c.name).has_value(); });
}

bool is_numeric(const std::vector<FeatureColumn>& columns) {
  return std::ranges::all_of(columns, [](const auto& c) { return c.kind() == ColumnKind::number; });
}

std::optional<std::size_t> place_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

void refuse_doubled(const std::string& path, const std::vector<CsvField>& first,
                    const TableFit& fit, std::size_t place) {
  for (std::size_t c = place + 1; c < fit.names.size(); ++c) {
    if (fit.names[c] != fit.names[place]) continue;
    throw DataError(path, first[c].line, first[c].column,
                    "a second column is called " + in_quotes(fit.names[c]));
  }
}

[[noreturn]] void refuse_missing(const std::string& path, const std::vector<std::string>& missing,
                                 const std::vector<std::string>& names) {
  std::string text = "does not fit the model: it has no column ";
  for (std::size_t i = 0; i < std::min(missing.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + in_quotes(missing[i]);
    const std::string near = nearest(missing[i], names);
    if (!near.empty()) text += " (did you mean " + in_quotes(near) + "?)";
  }
  if (missing.size() > kNamed)
    text += " and " + std::to_string(missing.size() - kNamed) + " more that the model looks at";
  throw DataError(path, text);
}

void fit_by_name(const std::string& path, const std::vector<CsvField>& first,
                 const std::vector<FeatureColumn>& columns,
                 const std::vector<TargetColumn>& targets, TableFit& fit) {
  std::vector<std::string> missing;
  std::set<std::size_t> used;
  for (const FeatureColumn& column : columns) {
    if (const auto place = place_of(fit.names, column.name)) {
      refuse_doubled(path, first, fit, *place);
      fit.fields.push_back(*place);
      used.insert(*place);
    } else {
      missing.push_back(column.name);
    }
  }
  if (!missing.empty()) refuse_missing(path, missing, fit.names);
  for (const TargetColumn& target : targets) {
    if (const auto place = place_of(fit.names, target.name)) {
      fit.targets.push_back(*place);
      used.insert(*place);
    }
  }
  if (fit.targets.size() < targets.size()) fit.targets.clear();
  for (std::size_t c = 0; c < fit.names.size(); ++c) {
    if (!used.contains(c)) fit.unused.push_back(fit.names[c]);
  }
}

/// By place: a table without the targets' columns has all that follow them so many places earlier.
void fit_by_number(const std::string& path, std::size_t width,
                   const std::vector<FeatureColumn>& columns,
                   const std::vector<TargetColumn>& target_columns, TableFit& fit) {
  std::vector<std::size_t> targets;
  for (const TargetColumn& target : target_columns) {
    if (const auto number = number_of(target.name)) targets.push_back(*number);
  }
  std::size_t last = targets.empty() ? 0 : std::ranges::max(targets);
  for (const FeatureColumn& column : columns) last = std::max(last, *number_of(column.name));
  const bool whole = width >= last;
  const bool without = !targets.empty() && width + targets.size() == last;
  if (!whole && !without) {
    throw DataError(
        path, "does not fit the model: it has " + std::to_string(width) +
                  (width == 1 ? " column" : " columns") + ", expected " + std::to_string(last) +
                  (targets.empty() ? ""
                   : targets.size() == 1
                       ? ", or one fewer without the target"
                       : ", or " + std::to_string(targets.size()) + " fewer without the targets"));
  }
  for (const FeatureColumn& column : columns) {
    const std::size_t number = *number_of(column.name);
    const auto before = std::ranges::count_if(targets, [&](auto at) { return at < number; });
    fit.fields.push_back(number - 1 - (without ? static_cast<std::size_t>(before) : 0));
  }
  if (!whole || targets.size() < target_columns.size()) return;
  for (const std::size_t target : targets) fit.targets.push_back(target - 1);
}

}  // namespace

std::vector<FeatureColumn> columns_of(const Dataset& model) {
  std::vector<FeatureColumn> columns = model.header().columns;
  for (std::size_t c = columns.size(); c < model.cols() && model.header().columns.empty(); ++c)
    columns.push_back({.name = "c" + std::to_string(c + 1), .categories = {}});
  return columns;
}

TableFit fit_table(const std::string& path, const std::vector<CsvField>& first,
                   const Dataset& model) {
  const std::vector<FeatureColumn> columns = columns_of(model);
  TableFit fit;
  for (const CsvField& field : first) fit.names.push_back(field.value());
  const auto known = [&](const FeatureColumn& c) {
    return place_of(fit.names, c.name).has_value();
  };
  const auto is_number = [&](CsvField field) {
    double ignored = 0;
    field.missing = false;  // no name looks like one
    return std::ranges::any_of(columns, [&](const FeatureColumn& column) {
      return read_number(field, column.format, ignored) == FieldKind::number;
    });
  };
  fit.header = std::ranges::any_of(columns, known);
  if (fit.header || !is_numbered(columns)) {
    fit.header = true;
    fit_by_name(path, first, columns, model.header().targets, fit);
    return fit;
  }
  // Names that the model was never told are no numbers.
  fit.header = is_numeric(columns) && std::ranges::none_of(first, is_number);
  fit_by_number(path, first.size(), columns, model.header().targets, fit);
  for (std::size_t c = 0; c < fit.names.size() && !fit.header; ++c)
    fit.names[c] = "c" + std::to_string(c + 1);
  return fit;
}

}  // namespace nn
