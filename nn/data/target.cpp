#include "nn/data/target.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/ascii.h"
#include "base/text.h"
#include "nn/data/csv_layout.h"
#include "nn/data/csv_names.h"
#include "nn/data/csv_notes.h"
#include "nn/data/data_error.h"
#include "nn/data/note_kinds.h"
#include "nn/data/written_number.h"

namespace nn {

namespace {

using Formats = std::vector<NumberFormat>;

/// All targets as numbers in the formats of their columns, or the place of the first that is none.
std::optional<std::size_t> read_numbers(const CsvSurvey& table, const Formats& formats,
                                        std::vector<double>& numbers) {
  numbers.clear();
  numbers.reserve(table.targets.size());
  for (std::size_t i = 0; i < table.targets.size(); ++i) {
    double number = 0;
    if (read_number(table.targets[i], formats[i % formats.size()], number) != FieldKind::number)
      return i;
    numbers.push_back(number);
  }
  return std::nullopt;
}

/// The formats of columns that hold nothing but numbers.
Formats formats_of(CsvFiles files, const CsvSurvey& table) {
  std::vector<NumberFormatFinder> finders(table.target_columns.size());
  for (std::size_t i = 0; i < table.targets.size(); ++i)
    finders[i % finders.size()].add(table.targets[i]);
  Formats formats;
  for (const NumberFormatFinder& finder : finders) {
    const auto format = finder.found(files.front());
    formats.push_back(format && finder.misfits() == 0 ? *format : NumberFormat());
  }
  return formats;
}

std::vector<double> distinct_values(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// The rule that LearningTask documents, of numbers whose different values are `values`.
bool look_like_classes(const std::vector<double>& values, const std::vector<double>& numbers) {
  constexpr std::size_t kFew = 20, kMany = 100, kRowsOfEach = 50;
  const auto whole = [](double v) { return v == std::floor(v); };
  if (!std::all_of(values.begin(), values.end(), whole)) return false;
  const std::size_t kinds = values.size(), rows = numbers.size();
  if (kinds <= kFew) return 2 * kinds <= rows;
  if (kinds > kMany || kRowsOfEach * kinds > rows) return false;
  std::vector<std::size_t> counts(kinds);
  for (const double number : numbers)
    ++counts[static_cast<std::size_t>(std::ranges::lower_bound(values, number) - values.begin())];
  return std::ranges::min(counts) >= kRowsOfEach;
}

[[noreturn]] void refuse_constant(const std::string& path, const std::string& name) {
  throw DataError(path, "the target " + in_quotes(name) + " has the same value in every row");
}

void check_classes(const std::string& path, const std::string& name, std::size_t classes,
                   std::size_t fewest) {
  if (classes < fewest) refuse_constant(path, name);
  if (classes > kMaxClasses) {
    throw DataError(path, "the target " + in_quotes(name) + " has " + std::to_string(classes) +
                              " classes, expected at most " + std::to_string(kMaxClasses));
  }
}

LearningTask settled(LearningTask task, bool classes, const std::string& name,
                     std::vector<std::string>& notes) {
  if (task != LearningTask::guess) return task;
  notes.push_back(base::cat(heads::kTask, classes ? "classification" : "regression",
                            ", guessed from the values of ", in_quotes(name)));
  return classes ? LearningTask::classification : LearningTask::regression;
}

/// Nearly all targets are numbers that nobody would take for classes: what is none is a slip.
void refuse_slip(CsvFiles files, const CsvSurvey& table, std::size_t first) {
  constexpr std::size_t kShare = 10;  // as for inputs: fewer than one in ten
  std::vector<double> numbers;
  for (const CsvField& field : table.targets) {
    double number = 0;
    if (read_number(field, number) == FieldKind::number) numbers.push_back(number);
  }
  const std::size_t rows = table.targets.size(), count = numbers.size();
  if (kShare * (rows - count) >= rows || look_like_classes(distinct_values(numbers), numbers))
    return;
  const CsvField& at = table.targets[first];
  double ignored = 0;
  const bool large = read_number(at, ignored) == FieldKind::too_large;
  throw DataError(files[table.file_of(first)].path, at.line, at.column,
                  in_quotes(at.value()) + ": expected a " + (large ? kFits : "number") +
                      ", as in " + std::to_string(count) +
                      " other rows of the target (task: classification takes it as a class)" +
                      second_header_advice(files.front(), table, at));
}

/// Says of each target with a format how its first text was read.
void note_formats(const std::vector<std::string>& names, const Formats& formats, CsvSurvey& table) {
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (formats[i].plain()) continue;
    table.notes.push_back("the target " + in_quotes(names[i]) +
                          " is numbers: " + read_as_text(table.targets[i], formats[i]));
  }
}

/// Numbers that the formats of the targets' columns make of texts; nothing where some text is none,
/// or where they look like classes.
std::optional<TargetValues> formatted_numbers(CsvFiles files, CsvSurvey& table,
                                              const std::vector<std::string>& names,
                                              LearningTask task, std::size_t fewest) {
  if (task == LearningTask::classification) return {};
  Formats formats = formats_of(files, table);
  std::vector<double> numbers;
  if (read_numbers(table, formats, numbers)) return {};
  if (task == LearningTask::guess && names.size() == 1 &&
      look_like_classes(distinct_values(numbers), numbers))
    return {};
  note_formats(names, formats, table);
  TargetValues target =
      target_of(files.front().path, names, std::move(numbers), task, table.notes, fewest);
  target.formats = std::move(formats);
  return target;
}

/// Texts that hardly recur are names of the rows, or numbers written in no way that is known.
/// `first`: of those that are no number.
void refuse_own_texts(CsvFiles files, const CsvSurvey& table, const std::string& name,
                      std::size_t texts, std::size_t first) {
  if (table.rows < kFewestForIds || 2 * texts <= table.rows) return;
  const CsvField& at = table.targets[first];
  const std::string missing =
      first == 0 ? "" : "; missing: [" + in_quotes(at.value()) + "] leaves such rows out";
  throw DataError(files[table.file_of(first)].path, at.line, at.column,
                  in_quotes(at.value()) + ": the target " + in_quotes(name) + " has " +
                      std::to_string(texts) + " different texts in " + std::to_string(table.rows) +
                      " rows, expected numbers or classes that recur (task: classification takes "
                      "each text as a class" +
                      missing + ")");
}

/// "5.2%"
std::string percent(std::size_t part, std::size_t all) {
  return base::with_digits(100 * static_cast<double>(part) / static_cast<double>(all), 3) + "%";
}

/// Rows of each class.
std::vector<std::size_t> counts_of(const TargetValues& target) {
  std::vector<std::size_t> counts(target.class_names.size());
  for (const std::int32_t label : target.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

/// A class as people compare names: small letters, blanks, dashes and underscores as one blank.
std::string folded_class(const std::string& name) {
  constexpr std::string_view kBlanks = " \t_-";
  // Minus 1 is not 1.
  if (!has_letter(name)) return name;
  std::string out;
  for (const char c : name) {
    if (kBlanks.find(c) == std::string_view::npos)
      out += base::to_lower(c);
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

TargetValues several_numbers(const std::string& path, const std::vector<std::string>& names,
                             std::vector<double> numbers, LearningTask task,
                             std::vector<std::string>& notes) {
  if (task == LearningTask::classification) {
    throw DataError(path, "task: classification has one column of classes, but there are " +
                              std::to_string(names.size()) + " targets");
  }
  if (names.size() > kMaxTargets) {
    throw DataError(path, std::to_string(names.size()) + " targets, expected at most " +
                              std::to_string(kMaxTargets));
  }
  if (task == LearningTask::guess)
    notes.push_back(base::cat(heads::kTask, "regression, there are ", names.size(), " targets"));
  TargetValues target;
  target.task = LearningTask::regression;
  target.numbers = std::move(numbers);
  return target;
}

}  // namespace

std::string name_of_class(double number) {
  char buffer[32];
  if (number == 0) number = 0;  // without the sign
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

TargetValues target_of(const std::string& path, const std::vector<std::string>& names,
                       std::vector<double> numbers, LearningTask task,
                       std::vector<std::string>& notes, std::size_t fewest) {
  if (names.size() > 1) return several_numbers(path, names, std::move(numbers), task, notes);
  const std::string& name = names.front();
  const auto values = distinct_values(numbers);
  TargetValues target;
  if (values.size() < fewest) refuse_constant(path, name);
  target.task = settled(task, look_like_classes(values, numbers), name, notes);
  if (target.task == LearningTask::regression) {
    target.numbers = std::move(numbers);
    return target;
  }
  check_classes(path, name, values.size(), fewest);
  for (const double value : values) target.class_names.push_back(name_of_class(value));
  for (const double number : numbers) {
    const auto at = std::lower_bound(values.begin(), values.end(), number);
    target.labels.push_back(static_cast<std::int32_t>(at - values.begin()));
  }
  return target;
}

void note_classes(const TargetValues& target, std::vector<std::string>& notes) {
  if (target.task != LearningTask::classification || target.labels.empty()) return;
  const std::vector<std::size_t> counts = counts_of(target);
  const std::vector<std::string>& names = target.class_names;
  constexpr std::size_t kNamed = 12;
  std::string named;
  for (std::size_t c = 0; c < std::min(names.size(), kNamed); ++c)
    named += base::cat(c == 0 ? "" : ", ", in_quotes(names[c]), " (", counts[c],
                       c > 0            ? ")"
                       : counts[c] == 1 ? " row)"
                                        : " rows)");
  if (names.size() > kNamed) named += base::cat(" and ", names.size() - kNamed, " more");
  notes.push_back(base::cat(names.size(), heads::kClasses, named));
  std::map<std::string, std::vector<std::string>> alike;
  for (const std::string& name : names) alike[folded_class(name)].push_back(name);
  std::string spellings;
  for (const auto& [word, spelt] : alike) {
    if (spelt.size() > 1) spellings += (spellings.empty() ? "" : "; ") + first_names(spelt);
  }
  if (!spellings.empty())
    notes.push_back(base::cat(heads::kAlike, spellings,
                              ": where they mean the same, write them alike in the table"));
}

void note_balance(const TargetValues& target, std::vector<std::string>& notes) {
  if (target.task != LearningTask::classification || target.labels.empty()) return;
  const std::vector<std::size_t> counts = counts_of(target);
  const auto rarest = std::ranges::min_element(counts), most = std::ranges::max_element(counts);
  const std::size_t rows = target.labels.size();
  const auto name = [&](auto at) {
    return in_quotes(target.class_names[static_cast<std::size_t>(at - counts.begin())]);
  };
  if (10 * *rarest < rows && 2 * *rarest * counts.size() < rows) {
    notes.push_back(
        base::cat(percent(*most, rows), heads::kBalance, name(most), ", ", percent(*rarest, rows),
                  " are ", name(rarest),
                  ": accuracy says little there; `class_weights: balanced` (of the loss) makes "
                  "training count all classes alike"));
  }
  std::string single;
  std::size_t count = 0;
  for (auto at = counts.begin(); at != counts.end(); ++at) {
    constexpr std::size_t kNamed = 12;
    if (*at == 1 && ++count <= kNamed) single += (single.empty() ? "" : ", ") + name(at);
  }
  if (count == 0) return;
  notes.push_back(base::cat(heads::kOneRow, count, count == 1 ? " class (" : " classes (", single,
                            count > 12 ? ", ...)" : ")"));
}

void note_parts(const TargetValues& target, const Parts& parts, std::vector<std::string>& notes) {
  if (target.task != LearningTask::classification || target.labels.empty()) return;
  const auto counts = [&](const std::vector<std::uint32_t>& rows) {
    std::vector<std::size_t> of(target.class_names.size());
    for (const std::uint32_t row : rows) ++of[static_cast<std::size_t>(target.labels[row])];
    return of;
  };
  const auto train = counts(parts.train), valid = counts(parts.valid), test = counts(parts.test);
  std::string named;
  std::size_t unlearnt = 0;
  for (std::size_t c = 0; c < train.size(); ++c) {
    constexpr std::size_t kNamed = 12;
    if (train[c] > 0 || valid[c] + test[c] < 2 || ++unlearnt > kNamed) continue;
    named += (named.empty() ? "" : ", ") + in_quotes(target.class_names[c]) + " (" +
             std::to_string(valid[c]) + " of the validation part, " + std::to_string(test[c]) +
             " of the test part)";
  }
  if (unlearnt == 0) return;
  notes.push_back(base::cat(heads::kUntrained, unlearnt, unlearnt == 1 ? " class: " : " classes: ",
                            named, unlearnt > 12 ? ", ..." : ""));
}

TargetValues read_target(CsvFiles files, CsvSurvey& table, LearningTask task, std::size_t fewest) {
  const std::string& path = files.front().path;
  const std::vector<std::string> names = table.target_names();
  std::vector<double> numbers;
  const auto text = read_numbers(table, Formats(names.size()), numbers);
  if (!text) return target_of(path, names, std::move(numbers), task, table.notes, fewest);
  if (auto target = formatted_numbers(files, table, names, task, fewest)) return std::move(*target);
  if (task == LearningTask::regression || names.size() > 1) {
    const CsvField& at = table.targets[*text];
    throw DataError(
        files[table.file_of(*text / names.size())].path, at.line, at.column,
        base::cat("the target is ", in_quotes(at.value()), ", expected a number, because ",
                  names.size() > 1
                      ? "there are several targets"
                      : "the task is regression (set by `task`, or implied by `metric` "
                        "or `loss`)"));
  }
  if (task == LearningTask::guess) refuse_slip(files, table, *text);
  const std::string& name = names.front();
  std::map<std::string, std::int32_t> classes;
  for (const CsvField& field : table.targets) classes.emplace(field.value(), 0);
  check_classes(path, name, classes.size(), fewest);
  if (task == LearningTask::guess) refuse_own_texts(files, table, name, classes.size(), *text);
  TargetValues target;
  target.task = settled(task, true, name, table.notes);
  for (auto& [text_of_class, label] : classes) {
    label = static_cast<std::int32_t>(target.class_names.size());
    target.class_names.push_back(text_of_class);
  }
  for (const CsvField& field : table.targets) target.labels.push_back(classes.at(field.value()));
  return target;
}

}  // namespace nn
