#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/words.h"
#include "nn/data/class_filter.h"
#include "nn/data/csv_columns.h"
#include "nn/data/csv_encoding.h"
#include "nn/data/csv_layout.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/doubts.h"
#include "nn/data/encode.h"
#include "nn/data/load_files.h"
#include "nn/data/scaling.h"
#include "nn/data/target.h"

namespace nn {

namespace {

/// A table with decimal commas has them in all of its numbers.
NumberFormat format_in(NumberFormat format, bool decimal_comma) {
  if (format.plain()) format.decimal_comma = decimal_comma;
  return format;
}

FeatureColumn feature_of(const CsvColumn& column, std::size_t rows, bool decimal_comma) {
  FeatureColumn feature{.name = column.name, .categories = column.categories};
  if (column.role == ColumnRole::hashed) feature.buckets = kHashInputs;
  if (column.role == ColumnRole::number) {
    feature.format = format_in(column.format, decimal_comma);
    feature.offset = column.offset;
  }
  if (column.role == ColumnRole::date) {
    feature.date = column.date;
    feature.clock = column.counts.clock && column.date != DateOrder::clock;
  }
  if (column.role == ColumnRole::number || column.role == ColumnRole::date) {
    // Until the training part tells what fills it, a missing number is none.
    feature.fill = std::numeric_limits<float>::quiet_NaN();
    const auto missing = static_cast<double>(column.counts.missing);
    feature.indicator = missing > 0 && missing >= kIndicatorShare * static_cast<double>(rows);
  }
  return feature;
}

/// Whether all of a column's inputs are whole numbers in 0..255.
bool is_bytes(const CsvColumn& column) {
  if (column.role == ColumnRole::date) return false;
  return column.role != ColumnRole::number || (column.counts.bytes && column.counts.missing == 0);
}

Dataset::Header describe(const CsvSurvey& table, TargetValues& target, std::size_t rows,
                         const DataSpec& spec, bool decimal_comma) {
  Dataset::Header header;
  header.rows = rows;
  bool bytes = true;
  for (const CsvColumn& column : table.columns) {
    if (!column.is_input()) continue;
    header.columns.push_back(feature_of(column, table.rows, decimal_comma));
    header.cols += header.columns.back().inputs();
    bytes = bytes && is_bytes(column);
  }
  header.input = Shape::features(static_cast<std::int64_t>(header.cols));
  header.storage = bytes ? Storage::u8 : Storage::f32;
  header.task = target.task;
  header.class_names = std::move(target.class_names);
  header.targets.clear();
  for (const std::string& name : table.target_names()) header.targets.push_back({.name = name});
  header.target_formats = std::move(target.formats);
  if (decimal_comma) {
    header.target_formats.resize(header.targets.size());
    for (NumberFormat& format : header.target_formats) format = format_in(std::move(format), true);
  }
  header.scaling = spec.scale;
  header.places = table.header ? 0 : table.columns.size();
  header.missing = spec.missing;
  header.decimal_comma = decimal_comma;
  header.skip = spec.skip;
  header.notes = table.notes;
  return header;
}

/// Writes the rows of X that are left; missing numbers become their column's fill.
template <class T>
void store_features(CsvFiles files, const CsvSurvey& table, const std::vector<bool>& kept,
                    std::span<const FeatureColumn> features, std::span<T> x) {
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    if (!is_left(kept, place.index)) return;
    std::size_t feature = 0;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (!table.columns[c].is_input()) continue;
      const FeatureColumn& column = features[feature++];
      (void)encode(column, fields[c], x.first(column.inputs()));
      x = x.subspan(column.inputs());
    }
  });
}

/// What the split goes by, one value a row that is left.
struct SplitColumn {
  std::vector<std::uint32_t> groups;
  std::vector<double> times;
};

[[noreturn]] void refuse_order(CsvFiles files, const CsvSurvey& table, std::size_t row,
                               const std::string& text) {
  const CsvField& at = table.order[row];
  throw DataError(files[table.file_of(row)].path, at.line, at.column, text);
}

double time_of(CsvFiles files, const CsvSurvey& table, std::size_t row, DateOrder date) {
  const CsvField& field = table.order[row];
  double number = 0;
  if (read_number(field, number) == FieldKind::number) return number;
  if (const auto day = read_date(field.bare(), date)) return day->days;
  refuse_order(files, table, row,
               in_quotes(field.value()) + ": expected a number or a date, the split goes by it");
}

SplitColumn read_split(CsvFiles files, const CsvSurvey& table, const std::vector<bool>& kept,
                       const DataSpec& spec) {
  SplitColumn by;
  if (!table.split_by) return by;
  std::map<std::string, std::uint32_t> groups;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!is_left(kept, row)) continue;
    const CsvField& field = table.order[row];
    if (is_missing(field))
      refuse_order(files, table, row, "a missing value, but the split goes by this column");
    if (spec.split.time.empty()) {
      by.groups.push_back(
          groups.emplace(field.value(), static_cast<std::uint32_t>(groups.size())).first->second);
    } else {
      by.times.push_back(time_of(files, table, row, table.columns[*table.split_by].date));
    }
  }
  return by;
}

/// The last `test_rows` are a file of their own, which the split does not deal out: says where it
/// holds what the split would keep apart.
void note_test_file(const SplitColumn& by, std::size_t test_rows, std::vector<std::string>& notes) {
  std::size_t known = 0, early = 0;
  if (!by.groups.empty()) {
    const auto tested = by.groups.end() - static_cast<std::ptrdiff_t>(test_rows);
    const std::set<std::uint32_t> trained(by.groups.begin(), tested);
    known = static_cast<std::size_t>(
        std::count_if(tested, by.groups.end(), [&](auto g) { return trained.contains(g); }));
  }
  if (!by.times.empty()) {
    const auto tested = by.times.end() - static_cast<std::ptrdiff_t>(test_rows);
    const double last = *std::max_element(by.times.begin(), tested);
    early = static_cast<std::size_t>(
        std::count_if(tested, by.times.end(), [&](double time) { return time < last; }));
  }
  const std::string of = " of the " + std::to_string(test_rows) + " rows of the test file ";
  if (known > 0) notes.push_back(std::to_string(known) + of + "are of groups of the first file");
  if (early > 0)
    notes.push_back(std::to_string(early) + of + "are earlier than the first file's last");
}

Parts split_table(CsvFiles files, CsvSurvey& table, const std::vector<bool>& kept,
                  const TargetValues& target, const DataSpec& spec) {
  const SplitColumn by = read_split(files, table, kept, spec);
  std::size_t rows = 0, test_rows = 0;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!is_left(kept, row)) continue;
    ++rows;
    if (table.file_of(row) == 1) ++test_rows;
  }
  if (test_rows > 0 && test_rows < rows) note_test_file(by, test_rows, table.notes);
  return split_rows(files.front().path,
                    {.count = rows,
                     .labels = target.labels,
                     .classes = target.class_names.size(),
                     .groups = by.groups,
                     .times = by.times,
                     .test_rows = test_rows},
                    spec.split);
}

Dataset load_texts(CsvFiles files, const DataSpec& spec, const LoadLimits& limits,
                   const std::vector<std::string>& notes, const base::Key& content) {
  const std::string& path = files.front().path;
  CsvSurvey table = survey(files, spec, limits);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  const bool chosen = !spec.classes.empty();
  if (chosen && spec.task == LearningTask::regression) {
    throw DataError(path, "classes: task is regression, which has none");
  }
  TargetValues target = read_target(files, table, chosen ? LearningTask::classification : spec.task,
                                    spec.for_model ? 1 : 2);
  const auto kept = keep_classes(path, spec.classes, target.class_names, target.labels);
  if (const auto gone = std::ranges::count(kept, false); gone > 0)
    table.notes.push_back(base::counted(gone, "row") + " left out: `classes` does not name theirs");
  note_classes(target, table.notes);
  note_balance(target, table.notes);
  const Parts parts = split_table(files, table, kept, target, spec);
  note_parts(target, parts, table.notes);
  std::vector<std::string> doubts;
  // Further folds have the same rows.
  if (!spec.for_model && spec.split.fold == 0)
    doubts = doubts_of(files, table, kept, target, parts);
  const std::size_t rows = kept.empty() ? table.rows : target.labels.size();
  Dataset::Header header = describe(table, target, rows, spec, files.front().decimal_comma);
  header.content = content;
  header.quote = files.front().quote;
  header.doubts = std::move(doubts);
  fit_unit(target, parts, header);
  Dataset data = make_dataset(std::move(header), parts, path, limits);
  if (data.header().storage == Storage::u8) {
    store_features(files, table, kept, data.header().columns, data.mutable_x_u8());
  } else {
    store_features(files, table, kept, data.header().columns, data.mutable_x_f32());
  }
  store_targets(target, data);
  if (spec.for_model) return data;
  fill_missing(data);
  fit_scaling(data, path);
  return data;
}

}  // namespace

Dataset load_csv(std::span<const SourceFile> files, const DataSpec& spec,
                 const LoadLimits& limits) {
  std::array<std::string, 2> unpacked, converted;
  std::vector<CsvText> texts;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& path = files[i].path();
    const auto bytes = read_content(files[i], limits.inflated_bytes, unpacked.at(i));
    const bool comma = !texts.empty() && texts.front().decimal_comma;
    CsvText text{.path = path,
                 .text = decoded(path, bytes, converted.at(i), notes),
                 .missing = spec.missing};
    if (!texts.empty()) text.quote = texts.front().quote;
    if (!spec.skip.none()) apply_skip(spec.skip, text, notes);
    texts.push_back(sniffed(std::move(text), comma));
  }
  if (texts.front().quote == '\'') notes.emplace_back("fields are in single quotes");
  if (std::ranges::any_of(texts, &CsvText::decimal_comma))
    notes.emplace_back("numbers have a decimal comma");
  if (texts.front().delimiter == ' ') notes.emplace_back("blanks are between the columns");
  std::vector<base::Key> hashes;
  for (const SourceFile& file : files) hashes.push_back(hash_of(file));
  if (files.size() > 1 && hashes.front() == hashes.back())
    throw DataError(files.back().path(), "this is the same file as " + files.front().path() +
                                             ", expected other rows to test on");
  const base::Key content = files.size() == 1 ? hashes.front() : combine(hashes);
  return load_texts(texts, spec, limits, notes, content);
}

}  // namespace nn
