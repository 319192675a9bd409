#include "nn/data/table_rows.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"
#include "nn/data/encode.h"
#include "nn/data/target.h"
#include "nn/fields.h"

namespace nn {

namespace {

/// Of a column that tables do not have.
const CsvField kMissing;

std::string place(const CsvField& field) { return "line " + std::to_string(field.line); }

/// What a column of numbers or dates takes.
std::string wanted(const FeatureColumn& column) {
  switch (column.date) {
    case DateOrder::none:
      return column.format.span ? "span of time, such as 1:30:00 or 90 min" : "number";
    case DateOrder::month:
      return "month or a quarter, such as 2026-11 or 2026Q4";
    case DateOrder::clock:
      return "time of day, such as 14:30";
    case DateOrder::year_first:
      return "date with the year first, such as 2026-11-22";
    case DateOrder::day_first:
      return "date with the day first, such as 22.11.2026";
    case DateOrder::month_first:
      break;
  }
  return "date with the month first, such as 11/22/2026";
}

}  // namespace

TableRows::TableRows(const std::string& path, const Dataset& model,
                     const std::vector<std::string>& keep)
    : stream_(path,
              {.missing = model.header().missing,
               .decimal_comma = model.header().decimal_comma,
               .one_field = [&](const CsvField& line) { return fits_as_one_field(line, model); },
               .quote = model.header().quote,
               .skip = model.header().skip,
               .is_header = [&](const auto& first) { return names_columns(first, model); }}),
      model_(model),
      columns_(columns_of(model)) {
  if (!stream_.next(first_)) throw DataError(stream_.path(), "the file is empty");
  first_line_ = first_.front().line;
  const bool row_names = stream_.has_row_names();
  if (row_names) first_.insert(first_.begin(), blank_before(first_.front()));
  fit_ = fit_table(stream_.path(), first_, model, row_names);
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
      throw DataError(stream_.path(), "the file has no column " + in_quotes(name) + " to keep" +
                                          did_you_mean(name, fit_.names));
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
  return !ended_ && stream_.next(fields);
}

/// A record that does not fit, where the table of the training had such in its place.
void TableRows::leave_out(const DataError& why) {
  const SkipSpec& skip = model_.header().skip;
  if (read_ == 0 && fit_.header && below_header_ < static_cast<std::size_t>(skip.after_header)) {
    ++below_header_;
    return;
  }
  std::vector<CsvField> ignored;
  for (std::int64_t lines = 1; lines <= skip.footer; ++lines) {
    try {
      ended_ = !stream_.next(ignored);
    } catch (const DataError&) {
      ended_ = true;  // a quote in a line that is no row
    }
    if (!ended_) continue;
    at_end_ = static_cast<std::size_t>(lines);
    return;
  }
  throw DataError(why);
}

bool TableRows::next(std::size_t most) {
  x_.clear();
  targets_.clear();
  labels_.clear();
  numbers_.clear();
  scored_.clear();
  others_.clear();
  kept_.clear();
  std::vector<CsvField> fields;
  while (numbers_.size() < most && read(fields)) {
    std::optional<DataError> odd;
    if (fields.size() != fit_.names.size()) {
      odd.emplace(stream_.path(), fields.front().line, 1,
                  base::counted(fields.size(), "field") + " in this line, expected " +
                      std::to_string(fit_.names.size()) + " as in line " +
                      std::to_string(first_line_));
    } else {
      odd = add(fields);
    }
    if (odd) leave_out(*odd);
  }
  return !numbers_.empty();
}

/// Adds a row, or says why it does not fit.
std::optional<DataError> TableRows::add(const std::vector<CsvField>& fields) {
  const std::size_t begin = x_.size();
  std::size_t at = begin;
  x_.resize(at + model_.cols());
  encoded_.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FeatureColumn& column = columns_[c];
    const CsvField& field = fit_.fields[c] == kNoField ? kMissing : fields[fit_.fields[c]];
    encoded_[c] = encode(column, field, std::span(x_).subspan(at, column.inputs()));
    if (encoded_[c] == Encoded::no_number) {
      x_.resize(begin);
      return DataError(stream_.path(), field.line, field.column,
                       in_quotes(field.value()) + ": expected a " + wanted(column) +
                           ", as column " + in_quotes(column.name) + " had in training");
    }
    at += column.inputs();
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    missing_[c] += encoded_[c] == Encoded::missing && fit_.fields[c] != kNoField;
    unknown_[c] += encoded_[c] == Encoded::unknown;
  }
  const auto row = static_cast<std::uint32_t>(numbers_.size());
  numbers_.push_back(row);
  ++read_;
  (add_targets(fields) ? scored_ : others_).push_back(row);
  std::vector<std::string> kept;
  for (const std::size_t field : kept_fields_) kept.push_back(fields[field].value());
  kept_.push_back(std::move(kept));
  return {};
}

/// Appends the row's label or targets, 0 for one that is missing or unusable. Returns false unless
/// all are usable: then the row isn't scored. Without target columns, appends nothing.
bool TableRows::add_targets(const std::vector<CsvField>& fields) {
  if (fit_.targets.empty()) return false;
  bool known = true;
  for (std::size_t i = 0; i < fit_.targets.size(); ++i) {
    const CsvField& field = fields[fit_.targets[i]];
    const Truth truth = add_target(field, i);
    if (truth == Truth::known || !known) continue;
    known = false;
    const bool missing = truth == Truth::missing;
    Unscored& why = missing ? without_target_ : wrong_target_;
    if (why.rows++ == 0)
      why.first = place(field) + (missing ? "" : ": " + in_quotes(field.value()));
  }
  return known;
}

TableRows::Truth TableRows::add_target(const CsvField& field, std::size_t at) {
  const TargetColumn& target = model_.header().targets[at];
  const auto& formats = model_.header().target_formats;
  double number = 0;
  const FieldKind kind = read_number(field, formats.empty() ? NumberFormat() : formats[at], number);
  bool known = kind == FieldKind::number;
  if (model_.is_classification()) {
    auto found = classes_.find(field.value());
    // Numbers that are equal are one class.
    if (found == classes_.end() && known) found = classes_.find(name_of_class(number));
    known = kind != FieldKind::missing && found != classes_.end();
    labels_.push_back(known ? found->second : 0);
  } else {
    targets_.push_back(known ? static_cast<float>((number - target.shift) / target.unit) : 0);
  }
  return known ? Truth::known : kind == FieldKind::missing ? Truth::missing : Truth::wrong;
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
  if (fit_.targets.empty()) return view;
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
  const auto left_out = [&](std::size_t count, const char* noun, const char* where) {
    if (count > 0)
      notes.push_back(base::counted(count, noun) + " left out " + where + ", as in training");
  };
  left_out(stream_.left_out(), "line", "above the header");
  left_out(below_header_, "row", "below the header");
  left_out(at_end_, "row", "at the end");
  const bool as_trained = model_.header().decimal_comma;
  if (stream_.decimal_sign() == DecimalSign::unclear && as_trained)
    notes.emplace_back("numbers such as 1,234 have a decimal comma, as in training");
  if (stream_.decimal_sign() == DecimalSign::comma && !as_trained)
    notes.emplace_back("numbers have a decimal comma");
  if (stream_.has_row_names()) notes.emplace_back(kRowNames);
  if (!fit_.renamed.empty()) notes.push_back(told_apart_note(fit_.names, fit_.renamed));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string column = "column " + in_quotes(columns_[c].name) + ": ";
    if (missing_[c] > 0)
      notes.push_back(column + base::counted(missing_[c], "missing value") +
                      " taken as in training");
    if (unknown_[c] > 0)
      notes.push_back(column + base::counted(unknown_[c], "value") +
                      " that training never saw, taken as missing");
  }
  if (!fit_.unused.empty())
    notes.push_back("the model does not look at " + first_names(fit_.unused));
  if (without_target_.rows + wrong_target_.rows > 0) notes.push_back(unscored_note());
  return notes;
}

std::string TableRows::unscored_note() const {
  const std::size_t scored = read_ - without_target_.rows - wrong_target_.rows;
  std::string text = scored == 0 ? "no row is scored: "
                                 : std::to_string(scored) + " of " + base::counted(read_, "row") +
                                       (scored == 1 ? " is" : " are") + " scored: ";
  auto add = [&, first = true](const Unscored& why, const std::string& what) mutable {
    if (why.rows == 0) return;
    text += (first ? "in " : ", in ") + std::to_string(why.rows) + " the target is " + what + " (" +
            (why.rows > 1 ? "the first in " : "") + why.first + ")";
    first = false;
  };
  add(without_target_, "missing");
  add(wrong_target_, model_.is_classification() ? "no class that the model knows" : "no number");
  return text;
}

}  // namespace nn
