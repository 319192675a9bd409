// How data is read for a network that knew other data: the first part of continued.h.

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/error.h"
#include "nn/data/continued.h"
#include "nn/data/continued_columns.h"
#include "nn/data/csv_names.h"
#include "nn/data/csv_stream.h"

namespace nn {

namespace {

/// The columns in the first line of a csv by their names, those of one name told apart, and the
/// word by which a spec can mean each.
std::map<std::string, std::string> first_line(const DataSpec& spec, const Dataset& model) {
  CsvStream stream(spec.path, {.missing = spec.missing,
                               .decimal_comma = model.header().decimal_comma,
                               .quote = model.header().quote,
                               .skip = spec.skip});
  std::vector<CsvField> fields;
  std::vector<std::string> names;
  if (stream.next(fields))
    for (const CsvField& field : fields) names.push_back(field.value());
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) ++counts[name];
  std::vector<std::string> apart = names;
  (void)tell_apart(apart);
  std::map<std::string, std::string> words;
  for (std::size_t c = 0; c < names.size(); ++c)
    words.emplace(apart[c], counts[names[c]] > 1 ? std::to_string(c + 1) : names[c]);
  return words;
}

void add_new(std::vector<std::string>& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

/// Has a column read as the model reads it.
void read_as(DataSpec& spec, const FeatureColumn& column, const std::string& word) {
  const auto is_in = [&](const std::vector<std::string>& list) {
    return std::ranges::find(list, word) != list.end();
  };
  if (is_in(spec.ignore) || is_in(spec.targets)) return;
  const ColumnKind kind = column.kind();
  const bool texts = kind == ColumnKind::categories || kind == ColumnKind::hashed;
  add_new(texts ? spec.categories : spec.keep, word);
}

/// "3" for the column c3 of a table without a header.
std::string number_word(const std::string& name) {
  const bool numbered = name.size() > 1 && name[0] == 'c' &&
                        name.find_first_not_of("0123456789", 1) == std::string::npos;
  return numbered ? name.substr(1) : name;
}

/// Whether a spec leaves the target open: the last column is a default.
bool leaves_target(const DataSpec& spec) {
  return spec.targets.empty() || spec.targets == std::vector<std::string>{"-1"};
}

void read_columns_as(DataSpec& spec, const Dataset& model) {
  const Dataset::Header& known = model.header();
  for (const std::string& word : known.missing) add_new(spec.missing, word);
  const bool open = leaves_target(spec);
  if (!has_named_columns(known)) {
    if (open) {
      spec.targets.clear();
      for (const TargetColumn& target : known.targets)
        spec.targets.push_back(number_word(target.name));
    }
    for (const FeatureColumn& column : known.columns)
      if (!column.absent) read_as(spec, column, number_word(column.name));
    return;
  }
  const std::map<std::string, std::string> there = first_line(spec, model);
  if (open) spec.targets = target_names(known);
  bool any = false;
  for (const FeatureColumn& column : known.columns) {
    const auto word = there.find(column.name);
    if (word == there.end()) continue;
    any = true;
    read_as(spec, column, word->second);
  }
  if (!any) {
    std::vector<std::string> names;
    for (const FeatureColumn& column : known.columns) names.push_back(column.name);
    throw base::Error(base::Errc::study, "expected a table with some of its columns, " +
                                             first_names(names) +
                                             "; the first line has none of them");
  }
  spec.header = HeaderRow::yes;
}

}  // namespace

DataSpec spec_for_model(DataSpec spec, const Dataset& model) {
  const Dataset::Header& known = model.header();
  if (spec.task != LearningTask::guess && spec.task != known.task)
    throw base::Error(base::Errc::study,
                      "expected task: " +
                          std::string(known.task == LearningTask::classification ? "classification"
                                                                                 : "regression") +
                          ", because the model predicts " + task_word(known.task));
  spec.task = known.task;
  spec.scale = known.scaling;
  spec.for_model = true;
  spec.classes.clear();
  if (spec.kind == DataKind::csv && known.input.is_image())
    throw base::Error(base::Errc::study, "expected images of " + known.input.text() +
                                             ", as the model takes; the data is a csv");
  if (spec.kind == DataKind::csv) read_columns_as(spec, model);
  return spec;
}

DataSpec replay_spec(const std::string& path, std::uint64_t seed, const Dataset& model) {
  std::error_code ignored;
  DataSpec spec{.path = path};
  if (std::filesystem::is_directory(path, ignored))
    spec.kind = DataKind::idx;
  else if (path.ends_with(".safetensors"))
    spec.kind = DataKind::safetensors;
  if (spec.kind == DataKind::csv) spec.skip = model.header().skip;
  spec.split = {.valid = kReplayHeldOut, .test = 0, .seed = seed, .group = {}, .time = {}};
  return spec_for_model(std::move(spec), model);
}

}  // namespace nn
