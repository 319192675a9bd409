#include "nn/data/table_fit.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "nn/data/csv_header.h"
#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"
#include "nn/data/encode.h"
#include "nn/fields.h"

namespace nn {

namespace {

constexpr std::size_t kMostMissing = 10;  // missing columns in one message

/// 3 for "c3"; nothing for a name of its own.
std::optional<std::size_t> number_of(const std::string& name) {
  if (!name.starts_with('c')) return {};
  const auto number = base::parse_unsigned(std::string_view(name).substr(1));
  return number && *number > 0 ? number : std::nullopt;
}

bool is_numbered(const std::vector<FeatureColumn>& columns) {
  return std::ranges::all_of(columns, [](const auto& c) { return number_of(c.name).has_value(); });
}

bool has_names(const Dataset::Header& model, const std::vector<FeatureColumn>& columns) {
  return model.places == 0U || !is_numbered(columns);
}

bool is_numeric(const std::vector<FeatureColumn>& columns) {
  return std::ranges::all_of(columns, [](const auto& c) { return c.kind() == ColumnKind::number; });
}

/// The ways in which the numbers of a model's columns are written.
std::vector<NumberFormat> formats_of(const std::vector<FeatureColumn>& columns) {
  std::vector<NumberFormat> formats;
  for (const FeatureColumn& column : columns) {
    if (std::ranges::find(formats, column.format) == formats.end())
      formats.push_back(column.format);
  }
  return formats;
}

/// The columns of a table by their names.
class Header {
 public:
  Header(const std::string& path, const std::vector<CsvField>& first,
         const std::vector<std::string>& names)
      : path_(path), first_(first) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto [at, is_new] = places_.try_emplace(names[c], Place{.first = c});
      if (!is_new && at->second.second == 0) at->second.second = c;
    }
  }

  [[nodiscard]] bool has(const std::string& name) const { return places_.contains(name); }

  /// Nothing where the table has no such column. Throws DataError where it has two.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return {};
    if (const std::size_t again = found->second.second; again > 0) {
      throw DataError(path_, first_[again].line, first_[again].column,
                      "a second column is called " + in_quotes(name));
    }
    return found->second.first;
  }

  /// The places of all of these columns; empty where one is missing.
  [[nodiscard]] std::vector<std::size_t> find_all(const std::vector<TargetColumn>& targets) const {
    std::vector<std::size_t> places;
    for (const TargetColumn& target : targets) {
      if (const auto place = find(target.name)) places.push_back(*place);
    }
    if (places.size() < targets.size()) places.clear();
    return places;
  }

 private:
  struct Place {
    std::size_t first = 0, second = 0;  ///< 0: there is no second one
  };
  const std::string& path_;
  const std::vector<CsvField>& first_;
  std::unordered_map<std::string, Place> places_;
};

[[noreturn]] void refuse_missing(const std::string& path, const std::vector<std::string>& missing,
                                 const std::vector<std::string>& names) {
  std::string text = "does not fit the model: it has no column ";
  for (std::size_t i = 0; i < std::min(missing.size(), kMostMissing); ++i) {
    text += (i == 0 ? "" : ", ") + in_quotes(missing[i]);
    const std::string near = base::nearest(missing[i], names);
    if (!near.empty()) text += " (did you mean " + in_quotes(near) + "?)";
  }
  if (missing.size() > kMostMissing)
    text +=
        " and " + std::to_string(missing.size() - kMostMissing) + " more that the model looks at";
  throw DataError(path, text);
}

void fit_by_name(const std::string& path, const Header& header,
                 const std::vector<FeatureColumn>& columns,
                 const std::vector<TargetColumn>& targets, TableFit& fit) {
  std::vector<std::string> missing;
  for (const FeatureColumn& column : columns) {
    if (column.absent)
      fit.fields.push_back(kNoField);
    else if (const auto place = header.find(column.name))
      fit.fields.push_back(*place);
    else
      missing.push_back(column.name);
  }
  if (!missing.empty()) refuse_missing(path, missing, fit.names);
  fit.targets = header.find_all(targets);
}

/// A model's columns by their numbers.
struct Numbered {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> targets;  ///< where they stood in the table of the training, ascending
  std::size_t last = 0;              ///< the largest of both

  Numbered(const std::vector<FeatureColumn>& features, const std::vector<TargetColumn>& answers) {
    for (const TargetColumn& target : answers) {
      if (const auto number = number_of(target.name)) targets.push_back(*number);
    }
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    if (!targets.empty()) last = targets.back();
    for (const FeatureColumn& column : features) {
      columns.push_back(*number_of(column.name));
      last = std::max(last, columns.back());
      if (std::ranges::binary_search(targets, columns.back()))
        throw base::Error(base::Errc::data,
                          "the model treats its target " + in_quotes(column.name) + " as an input");
    }
  }

  /// The place of a column where those of the targets are not there.
  [[nodiscard]] std::size_t place_without(std::size_t number) const {
    const auto before = std::ranges::lower_bound(targets, number) - targets.begin();
    return number - 1 - static_cast<std::size_t>(before);
  }
};

[[noreturn]] void refuse_width(const std::string& path, std::size_t width, std::size_t expected,
                               const Numbered& model, const std::vector<TargetColumn>& targets) {
  const bool one = targets.size() == 1;
  std::string text = "does not fit the model: it has " + base::counted(width, "column") +
                     ", expected " + std::to_string(expected) + ", or ";
  if (!model.targets.empty()) {
    text += one ? "one fewer without the target"
                : std::to_string(model.targets.size()) + " fewer without the targets";
  } else {
    text += one ? "one more with a header that names the target " + in_quotes(targets[0].name)
                : std::to_string(targets.size()) + " more with a header that names the targets";
  }
  throw DataError(path, text);
}

/// The places of a table of `width` columns but for the `without`.
std::vector<std::size_t> places_but(std::size_t width, const std::vector<std::size_t>& without) {
  std::vector<bool> left(width, true);
  for (const std::size_t c : without) left[c] = false;
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < width; ++c) {
    if (left[c]) places.push_back(c);
  }
  return places;
}

/// What the model no longer looks at, whether the table has it or not.
void drop_absent(const std::vector<FeatureColumn>& columns, TableFit& fit) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].absent) fit.fields[c] = kNoField;
}

/// By place: a table without the targets' columns has all that follow them so many places earlier.
void fit_by_number(const std::string& path, const Header& header, const Dataset::Header& model,
                   const std::vector<FeatureColumn>& columns, TableFit& fit) {
  const Numbered numbered(columns, model.targets);
  const std::size_t width = fit.names.size(), targets = model.targets.size();
  // What an older model's file does not say: how many columns of a table followed the last one.
  const bool says = model.places.has_value() || numbered.targets.empty();
  const std::size_t whole = says ? std::max<std::size_t>(model.places.value_or(0), numbered.last)
                                 : std::max(width, numbered.last);
  if (width == whole) {
    for (const std::size_t number : numbered.columns) fit.fields.push_back(number - 1);
    if (numbered.targets.size() < targets) return;
    for (const TargetColumn& target : model.targets)
      fit.targets.push_back(*number_of(target.name) - 1);
  } else if (!numbered.targets.empty() && width + numbered.targets.size() == whole) {
    for (const std::size_t number : numbered.columns)
      fit.fields.push_back(numbered.place_without(number));
  } else {
    const bool beside = numbered.targets.empty() && width == whole + targets;
    if (beside) fit.targets = header.find_all(model.targets);
    if (fit.targets.empty()) refuse_width(path, width, whole, numbered, model.targets);
    fit.header = true;  // also where the others are called 0, 1, ...
    const std::vector<std::size_t> places = places_but(width, fit.targets);
    for (const std::size_t number : numbered.columns) fit.fields.push_back(places[number - 1]);
  }
}

/// Columns have their places behind those names.
TableFit fit_without_row_names(const std::string& path, const std::vector<CsvField>& first,
                               const Dataset& model) {
  TableFit fit = fit_table(path, {first.begin() + 1, first.end()}, model);
  fit.header = true;
  fit.names.insert(fit.names.begin(), first.front().value());
  for (std::size_t& place : fit.fields)
    if (place != kNoField) ++place;
  for (std::size_t& place : fit.targets) ++place;
  return fit;
}

void find_unused(TableFit& fit) {
  std::vector<bool> used(fit.names.size());
  for (const std::size_t c : fit.fields)
    if (c != kNoField) used[c] = true;
  for (const std::size_t c : fit.targets) used[c] = true;
  for (std::size_t c = 0; c < fit.names.size(); ++c) {
    if (!used[c]) fit.unused.push_back(fit.names[c]);
  }
}

}  // namespace

std::vector<FeatureColumn> columns_of(const Dataset& model) {
  std::vector<FeatureColumn> columns = model.header().columns;
  for (std::size_t c = columns.size(); c < model.cols() && model.header().columns.empty(); ++c)
    columns.push_back({.name = column_name(c), .categories = {}});
  return columns;
}

bool fits_as_one_field(const CsvField& line, const Dataset& model) {
  const std::vector<FeatureColumn>& columns = model.header().columns;
  if (columns.size() != 1) return false;
  const FeatureColumn& only = columns.front();
  if (has_names(model.header(), columns)) return line.value() == only.name;
  std::vector<float> ignored(only.inputs());
  return encode(only, line, std::span(ignored)) == Encoded::value;
}

bool names_columns(const std::vector<CsvField>& first, const Dataset& model) {
  const std::vector<FeatureColumn>& columns = model.header().columns;
  std::vector<std::string> names;
  for (const CsvField& field : first) names.push_back(field.value());
  (void)tell_apart(names);
  const auto is_named = [&](const FeatureColumn& column) {
    return column.absent || std::ranges::find(names, column.name) != names.end();
  };
  return !columns.empty() && has_names(model.header(), columns) &&
         std::ranges::all_of(columns, is_named);
}

TableFit fit_table(const std::string& path, const std::vector<CsvField>& first,
                   const Dataset& model, bool row_names) {
  const std::vector<FeatureColumn> columns = columns_of(model);
  const Dataset::Header& known = model.header();
  TableFit fit;
  for (const CsvField& field : first) fit.names.push_back(field.value());
  if (!has_names(known, columns)) {
    if (row_names) return fit_without_row_names(path, first, model);
    const Header header(path, first, fit.names);
    const bool named =
        std::ranges::any_of(columns, [&](const auto& c) { return header.has(c.name); });
    const bool words = may_name_columns(first, formats_of(columns));
    // Among texts a name may be a value.
    fit.header = is_numeric(columns) ? named || words : named && words;
    if (!(named && fit.header)) {
      fit_by_number(path, header, known, columns, fit);
      drop_absent(columns, fit);
      for (std::size_t c = 0; c < fit.names.size() && !fit.header; ++c)
        fit.names[c] = column_name(c);
      find_unused(fit);
      return fit;
    }
  }
  fit.header = true;
  for (std::size_t c = 0; c < fit.names.size(); ++c) {
    if (fit.names[c].empty()) fit.names[c] = column_name(c);
  }
  fit.renamed = tell_apart(fit.names);
  fit_by_name(path, Header(path, first, fit.names), columns, known.targets, fit);
  find_unused(fit);
  return fit;
}

}  // namespace nn
