#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "nn/data/class_filter.h"
#include "nn/data/csv_columns.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/csv_target.h"
#include "nn/data/encode.h"
#include "nn/data/load_files.h"
#include "nn/data/scaling.h"

namespace nn {

namespace {

void refuse_binary(const std::string& path, std::string_view text) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return;
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  throw DataError(path, line, at - start + 1,
                  "a zero byte: this is not a text in UTF-8 or Latin-1");
}

Dataset::Header describe(const CsvSurvey& table, CsvTarget& target, std::size_t rows,
                         const DataSpec& spec) {
  Dataset::Header header;
  header.rows = rows;
  bool bytes = true;
  for (const CsvColumn& column : table.columns) {
    header.cols += column.inputs();
    if (column.inputs() == 0) continue;
    if (column.role == ColumnRole::number) bytes = bytes && column.bytes && column.missing == 0;
    FeatureColumn feature{.name = column.name, .categories = {}, .fill = 0};
    for (const auto& [value, ordinal] : column.categories) feature.categories.push_back(value);
    // Until the training part tells what fills it, a missing number is none.
    if (feature.categories.empty()) feature.fill = std::numeric_limits<float>::quiet_NaN();
    header.columns.push_back(std::move(feature));
  }
  header.input = Shape::features(static_cast<std::int64_t>(header.cols));
  header.storage = bytes ? Storage::u8 : Storage::f32;
  header.task = target.task;
  header.class_names = std::move(target.class_names);
  header.target = table.columns[table.target].name;
  header.scaling = spec.scale;
  header.notes = table.notes;
  return header;
}

/// Writes the rows of X that are left; missing numbers become their column's fill.
template <class T>
void store_features(const CsvText& csv, const CsvSurvey& table, const std::vector<bool>& kept,
                    std::span<const FeatureColumn> features, std::span<T> x) {
  for_each_row(csv, table, [&](std::size_t row, const std::vector<CsvField>& fields) {
    if (!is_left(kept, row)) return;
    std::size_t feature = 0;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (table.columns[c].inputs() == 0) continue;
      const FeatureColumn& column = features[feature++];
      (void)encode(column, fields[c], x.first(column.inputs()));
      x = x.subspan(column.inputs());
    }
  });
}

void store_targets(const CsvTarget& target, Dataset& data) {
  if (data.is_classification()) {
    std::copy(target.labels.begin(), target.labels.end(), data.mutable_labels().begin());
    return;
  }
  const double shift = data.header().target_shift;
  const double unit = data.header().target_unit;
  std::transform(target.numbers.begin(), target.numbers.end(), data.mutable_targets().begin(),
                 [&](double number) { return static_cast<float>((number - shift) / unit); });
}

}  // namespace

Dataset load_csv(const SourceFile& file, const DataSpec& spec, const LoadLimits& limits) {
  std::string unpacked;
  const std::string_view text = read_content(file, limits.inflated_bytes, unpacked);
  refuse_binary(file.path(), text);
  const CsvText csv{file.path(), text, sniff_delimiter(text)};
  CsvSurvey table = survey(csv, spec, limits);
  const bool chosen = !spec.classes.empty();
  if (chosen && spec.task == LearningTask::regression) {
    throw DataError(file.path(), "classes: task is regression, which has none");
  }
  CsvTarget target = read_target(csv, table, chosen ? LearningTask::classification : spec.task);
  const auto kept = keep_classes(file.path(), spec.classes, target.class_names, target.labels);
  const std::size_t rows = kept.empty() ? table.rows : target.labels.size();
  Dataset::Header header = describe(table, target, rows, spec);
  header.content = hash_of(file);
  const Parts parts = split_rows(
      file.path(), {.count = rows, .labels = target.labels, .classes = header.class_names.size()},
      spec.split);
  if (!target.numbers.empty()) {
    const TargetUnit fitted = fit_target(target.numbers, parts.train);
    header.target_shift = fitted.shift;
    header.target_unit = fitted.unit;
  }
  Dataset data = make_dataset(std::move(header), parts, file.path(), limits);
  if (data.header().storage == Storage::u8) {
    store_features(csv, table, kept, data.header().columns, data.mutable_x_u8());
  } else {
    store_features(csv, table, kept, data.header().columns, data.mutable_x_f32());
  }
  fill_missing(data);
  store_targets(target, data);
  fit_scaling(data, file.path());
  return data;
}

}  // namespace nn
