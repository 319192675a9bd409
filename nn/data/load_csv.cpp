#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/hash.h"
#include "base/words.h"
#include "nn/data/class_filter.h"
#include "nn/data/csv_columns.h"
#include "nn/data/csv_encoding.h"
#include "nn/data/csv_layout.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/doubts.h"
#include "nn/data/encode.h"
#include "nn/data/kept_tables.h"
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

Dataset::Header describe(const CsvSurvey& table, const TargetValues& target, std::size_t rows,
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
  header.class_names = target.class_names;
  header.targets.clear();
  for (const std::string& name : table.target_names()) header.targets.push_back({.name = name});
  header.target_formats = target.formats;
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

/// Rows that are left, those of the second file apart.
std::size_t count_test_rows(const CsvSurvey& table, const std::vector<bool>& kept) {
  std::size_t test_rows = 0;
  for (std::size_t row = 0; row < table.rows; ++row)
    if (is_left(kept, row) && table.file_of(row) == 1) ++test_rows;
  return test_rows;
}

Parts split_table(const std::string& path, const ReadTable& table, const DataSpec& spec) {
  return split_rows(path,
                    {.count = table.header.rows,
                     .labels = table.target.labels,
                     .classes = table.target.class_names.size(),
                     .groups = table.by.groups,
                     .times = table.by.times,
                     .test_rows = table.test_rows},
                    spec.split);
}

/// Further folds have the same rows.
bool wants_doubts(const DataSpec& spec) { return !spec.for_model && spec.split.fold == 0; }

/// The data set of that split, whose inputs are not written yet.
Dataset parted(const ReadTable& table, const Parts& parts, std::vector<std::string> doubts,
               const std::string& path, const LoadLimits& limits) {
  Dataset::Header header = table.header;
  note_parts(table.target, parts, header.notes);
  header.doubts = std::move(doubts);
  fit_unit(table.target, parts, header);
  return make_dataset(std::move(header), parts, path, limits);
}

/// What is left to do once the inputs are there.
void fit(Dataset& data, const ReadTable& table, const DataSpec& spec, const std::string& path) {
  store_targets(table.target, data);
  if (spec.for_model) return;
  fill_missing(data);
  fit_scaling(data, path);
}

/// A table that was read before, split as this spec asks; nothing where it has to be read again.
std::optional<Dataset> load_kept(const TableName& name, const DataSpec& spec,
                                 const std::string& path, const LoadLimits& limits) {
  const auto table = kept_table(name);
  if (!table) return std::nullopt;
  const Parts parts = split_table(path, *table, spec);
  std::vector<std::string> doubts;
  if (wants_doubts(spec)) {
    if (!table->doubts || parts.test != table->test) return std::nullopt;
    doubts = *table->doubts;
  }
  Dataset data = parted(*table, parts, std::move(doubts), path, limits);
  if (data.header().storage == Storage::u8) {
    std::ranges::copy(std::get<std::vector<std::uint8_t>>(table->x), data.mutable_x_u8().begin());
  } else {
    std::ranges::copy(std::get<std::vector<float>>(table->x), data.mutable_x_f32().begin());
  }
  fit(data, *table, spec, path);
  return data;
}

/// Keeps a table whose inputs are written and not filled yet.
void keep(const TableName& name, const ReadTable& read, const Dataset& data, const Parts& parts,
          const DataSpec& spec) {
  if (!keeps_tables(data.x_u8().size_bytes() + data.x_f32().size_bytes())) return;
  ReadTable table = read;
  if (data.header().storage == Storage::u8) {
    table.x = std::vector<std::uint8_t>(data.x_u8().begin(), data.x_u8().end());
  } else {
    table.x = std::vector<float>(data.x_f32().begin(), data.x_f32().end());
  }
  if (wants_doubts(spec)) table.doubts = data.header().doubts;
  table.test = parts.test;
  keep_table(name, std::move(table));
}

Dataset load_texts(CsvFiles files, const DataSpec& spec, const LoadLimits& limits,
                   const std::vector<std::string>& notes, const TableName& name) {
  const std::string& path = files.front().path;
  CsvSurvey table = survey(files, spec, limits);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  const bool chosen = !spec.classes.empty();
  if (chosen && spec.task == LearningTask::regression) {
    throw DataError(path, "classes: task is regression, which has none");
  }
  ReadTable read;
  read.target = read_target(files, table, chosen ? LearningTask::classification : spec.task,
                            spec.for_model ? 1 : 2);
  const auto kept = keep_classes(path, spec.classes, read.target.class_names, read.target.labels);
  if (const auto gone = std::ranges::count(kept, false); gone > 0)
    table.notes.push_back(base::counted(gone, "row") + " left out: `classes` does not name theirs");
  note_classes(read.target, table.notes);
  note_balance(read.target, table.notes);
  read.by = read_split(files, table, kept, spec);
  read.test_rows = count_test_rows(table, kept);
  const std::size_t rows = kept.empty() ? table.rows : read.target.labels.size();
  if (read.test_rows > 0 && read.test_rows < rows)
    note_test_file(read.by, read.test_rows, table.notes);
  read.header = describe(table, read.target, rows, spec, files.front().decimal_comma);
  read.header.content = name.content;
  read.header.quote = files.front().quote;
  const Parts parts = split_table(path, read, spec);
  std::vector<std::string> doubts;
  if (wants_doubts(spec)) doubts = doubts_of(files, table, kept, read.target, parts);
  Dataset data = parted(read, parts, std::move(doubts), path, limits);
  if (data.header().storage == Storage::u8) {
    store_features(files, table, kept, data.header().columns, data.mutable_x_u8());
  } else {
    store_features(files, table, kept, data.header().columns, data.mutable_x_f32());
  }
  keep(name, read, data, parts, spec);
  fit(data, read, spec, path);
  return data;
}

}  // namespace

Dataset load_csv(std::span<const SourceFile> files, const DataSpec& spec,
                 const LoadLimits& limits) {
  std::vector<base::Key> hashes;
  std::vector<std::string> paths;
  for (const SourceFile& file : files) {
    hashes.push_back(hash_of(file));
    paths.push_back(file.path());
  }
  const TableName name(files.size() == 1 ? hashes.front() : combine(hashes), paths, spec);
  if (auto known = load_kept(name, spec, paths.front(), limits)) return std::move(*known);
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
  if (files.size() > 1 && hashes.front() == hashes.back())
    throw DataError(files.back().path(), "this is the same file as " + files.front().path() +
                                             ", expected other rows to test on");
  return load_texts(texts, spec, limits, notes, name);
}

}  // namespace nn
