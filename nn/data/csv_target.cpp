#include "nn/data/csv_target.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "nn/data/data_error.h"

namespace nn {

namespace {

[[noreturn]] void fail_at(const CsvText& csv, const CsvField& at, const std::string& text) {
  throw DataError(csv.path, at.line, at.column, text);
}

/// All targets as numbers, or the row of the first that is none. Missing ones are an error.
std::optional<std::size_t> read_numbers(const CsvText& csv, const CsvSurvey& table,
                                        std::vector<double>& numbers) {
  std::optional<std::size_t> first_text;
  for (std::size_t row = 0; row < table.targets.size(); ++row) {
    const CsvField& field = table.targets[row];
    double number = 0;
    const FieldKind kind = read_number(field, number);
    if (kind == FieldKind::missing) {
      fail_at(csv, field,
              "the target " + in_quotes(table.columns[table.target].name) +
                  " is missing, expected a value in every row");
    }
    if (kind != FieldKind::number && !first_text) first_text = row;
    numbers.push_back(number);
  }
  return first_text;
}

std::vector<double> distinct_values(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// The rule that LearningTask documents.
bool look_like_classes(const std::vector<double>& values, std::size_t rows) {
  const auto whole = [](double v) { return v == std::floor(v); };
  if (!std::all_of(values.begin(), values.end(), whole)) return false;
  const std::size_t kinds = values.size();
  return (kinds <= 20 && 2 * kinds <= rows) || (kinds <= 100 && 50 * kinds <= rows);
}

std::string shortest(double value) {
  char buffer[32];
  if (value == 0) value = 0;  // -0 and 0 are one class
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

void check_classes(const CsvText& csv, const CsvSurvey& table, std::size_t classes) {
  const std::string name = in_quotes(table.columns[table.target].name);
  if (classes < 2) {
    throw DataError(csv.path, "the target " + name + " has the same value in every row");
  }
  if (classes > kMaxClasses) {
    throw DataError(csv.path, "the target " + name + " has " + std::to_string(classes) +
                                  " classes, expected at most " + std::to_string(kMaxClasses));
  }
}

void label_numbers(const std::vector<double>& values, const std::vector<double>& numbers,
                   CsvTarget& target) {
  for (const double value : values) target.class_names.push_back(shortest(value));
  for (const double number : numbers) {
    const auto at = std::lower_bound(values.begin(), values.end(), number);
    target.labels.push_back(static_cast<std::int32_t>(at - values.begin()));
  }
}

void label_texts(const CsvSurvey& table, CsvTarget& target) {
  std::map<std::string, std::int32_t> classes;
  for (const CsvField& field : table.targets) classes.emplace(field.value(), 0);
  for (auto& [name, label] : classes) {
    label = static_cast<std::int32_t>(target.class_names.size());
    target.class_names.push_back(name);
  }
  for (const CsvField& field : table.targets) target.labels.push_back(classes.at(field.value()));
}

}  // namespace

CsvTarget read_target(const CsvText& csv, CsvSurvey& table, LearningTask task) {
  CsvTarget target;
  std::vector<double> numbers;
  numbers.reserve(table.targets.size());
  const auto text_row = read_numbers(csv, table, numbers);
  if (text_row && task == LearningTask::regression) {
    const CsvField& at = table.targets[*text_row];
    fail_at(csv, at, in_quotes(at.value()) + ": expected a number, because task is regression");
  }
  const auto values = text_row ? std::vector<double>{} : distinct_values(numbers);
  target.task = task;
  if (task == LearningTask::guess) {
    const bool classes = text_row || look_like_classes(values, numbers.size());
    target.task = classes ? LearningTask::classification : LearningTask::regression;
    table.notes.push_back(std::string("task: ") + (classes ? "classification" : "regression") +
                          ", judged by the values of " +
                          in_quotes(table.columns[table.target].name));
  }
  if (target.task == LearningTask::regression) {
    target.numbers = std::move(numbers);
    return target;
  }
  if (text_row) {
    label_texts(table, target);
  } else {
    label_numbers(values, numbers, target);
  }
  check_classes(csv, table, target.class_names.size());
  return target;
}

}  // namespace nn
