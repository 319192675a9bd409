#include "nn/data/table_rows.h"

#include <algorithm>
#include <charconv>

#include "nn/data/data_error.h"
#include "nn/data/encode.h"
#include "nn/fields.h"

namespace nn {

namespace {

std::string place(const CsvField& field) { return "line " + std::to_string(field.line) + ": "; }

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// What a column of numbers or dates takes.
std::string wanted(const FeatureColumn& column) {
  switch (column.date) {
    case DateOrder::none:
      break;
    case DateOrder::year_first:
      return "date with the year first, such as 2026-11-22";
    case DateOrder::day_first:
      return "date with the day first, such as 22.11.2026";
    case DateOrder::month_first:
      return "date with the month first, such as 11/22/2026";
  }
  return "number";
}

/// As the target's classes are named: numbers that are equal are one class.
std::string class_text(const CsvField& field) {
  double number = 0;
  if (read_number(field, number) != FieldKind::number) return field.value();
  char buffer[32];
  if (number == 0) number = 0;  // -0 and 0 are one class
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

}  // namespace

TableRows::TableRows(const std::string& path, const Dataset& model,
                     const std::vector<std::string>& keep)
    : stream_(path, model.header().missing), model_(model), columns_(columns_of(model)) {
  if (!stream_.next(first_)) throw DataError(stream_.path(), "is empty");
  first_line_ = first_.front().line;
  fit_ = fit_table(stream_.path(), first_, model);
  if (fit_.header) first_.clear();
  find_kept(keep);
  std::int32_t number = 0;
  for (const std::string& name : model.header().class_names) classes_[name] = number++;
  missing_.resize(columns_.size());
  unknown_.resize(columns_.size());
}

void TableRows::find_kept(const std::vector<std::string>& keep) {
  for (const std::string& name : keep) {
    const auto found = std::ranges::find(fit_.names, name);
    if (found == fit_.names.end()) {
      const std::string near = nearest(name, fit_.names);
      throw DataError(stream_.path(),
                      "has no column " + in_quotes(name) + " to keep" +
                          (near.empty() ? "" : ", did you mean " + in_quotes(near) + "?"));
    }
    kept_fields_.push_back(static_cast<std::size_t>(found - fit_.names.begin()));
  }
}

bool TableRows::read(std::vector<CsvField>& fields) {
  if (!first_.empty()) {
    fields = std::move(first_);
    first_.clear();
    return true;
  }
  return stream_.next(fields);
}

bool TableRows::next(std::size_t most) {
  x_.clear();
  targets_.clear();
  labels_.clear();
  numbers_.clear();
  kept_.clear();
  std::vector<CsvField> fields;
  while (numbers_.size() < most && read(fields)) {
    if (fields.size() != fit_.names.size()) {
      throw DataError(stream_.path(), fields.front().line, 1,
                      counted(fields.size(), "field") + " in this line, expected " +
                          std::to_string(fit_.names.size()) + " as in line " +
                          std::to_string(first_line_));
    }
    add(fields);
  }
  return !numbers_.empty();
}

void TableRows::add(const std::vector<CsvField>& fields) {
  numbers_.push_back(static_cast<std::uint32_t>(numbers_.size()));
  std::size_t at = x_.size();
  x_.resize(at + model_.cols());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FeatureColumn& column = columns_[c];
    const CsvField& field = fields[fit_.fields[c]];
    const Encoded encoded = encode(column, field, std::span(x_).subspan(at, column.inputs()));
    if (encoded == Encoded::no_number) {
      throw DataError(stream_.path(), field.line, field.column,
                      in_quotes(field.value()) + ": expected a " + wanted(column) + ", as column " +
                          in_quotes(column.name) + " holds for the model");
    }
    missing_[c] += encoded == Encoded::missing;
    unknown_[c] += encoded == Encoded::unknown;
    at += column.inputs();
  }
  for (std::size_t i = 0; i < fit_.targets.size(); ++i) add_target(fields[fit_.targets[i]], i);
  std::vector<std::string> kept;
  for (const std::size_t field : kept_fields_) kept.push_back(fields[field].value());
  kept_.push_back(std::move(kept));
}

void TableRows::add_target(const CsvField& field, std::size_t at) {
  if (!unscored_.empty()) return;
  const TargetColumn& target = model_.header().targets[at];
  const auto& formats = model_.header().target_formats;
  double number = 0;
  const FieldKind kind = read_number(field, formats.empty() ? NumberFormat() : formats[at], number);
  if (kind == FieldKind::missing) {
    unscored_ = place(field) + "the target is missing";
  } else if (!model_.is_classification()) {
    targets_.push_back(static_cast<float>((number - target.shift) / target.unit));
    if (kind != FieldKind::number)
      unscored_ = place(field) + in_quotes(field.value()) + " is no number";
  } else {
    auto found = classes_.find(field.value());
    if (found == classes_.end()) found = classes_.find(class_text(field));
    if (found == classes_.end())
      unscored_ = place(field) + in_quotes(field.value()) + " is no class that the model knows";
    else
      labels_.push_back(found->second);
  }
}

DataView TableRows::view() const {
  DataView view;
  view.shape = model_.header().input;
  view.f32 = x_.data();
  view.shift = model_.shift().data();
  view.scale = model_.scale().data();
  view.outputs = static_cast<std::int32_t>(model_.outputs());
  view.rows = numbers_;
  view.class_names = model_.header().class_names;
  if (!scored()) return view;
  if (model_.is_classification()) {
    view.labels = labels_.data();
  } else {
    view.targets = targets_.data();
    view.target_columns = model_.header().targets;
  }
  return view;
}

std::vector<std::string> TableRows::notes() const {
  std::vector<std::string> notes;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string column = "column " + in_quotes(columns_[c].name) + ": ";
    if (missing_[c] > 0)
      notes.push_back(column + counted(missing_[c], "missing value") + " taken as in training");
    if (unknown_[c] > 0)
      notes.push_back(column + counted(unknown_[c], "value") +
                      " that training never saw, taken as missing");
  }
  std::string unused;
  for (const std::string& name : fit_.unused)
    unused += (unused.empty() ? "" : ", ") + in_quotes(name);
  if (!unused.empty()) notes.push_back("the model does not look at " + unused);
  if (!unscored_.empty()) notes.push_back("not scored: " + unscored_);
  return notes;
}

}  // namespace nn
