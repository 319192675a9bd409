#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "base/words.h"
#include "nn/data/class_filter.h"
#include "nn/data/load_files.h"
#include "nn/data/npy_reader.h"
#include "nn/data/scaling.h"
#include "nn/data/target.h"
#include "nn/model/safetensors.h"

namespace nn {

namespace {

/// The arrays of a data set; the second pair is the test part.
struct Arrays {
  NumberArray x, y;
  std::optional<NumberArray> test_x, test_y;
};

void check_pair(const NumberArray& x, const NumberArray& y) {
  if (y.dims.empty() || y.dims.size() > 2 || y.per_row() == 0) {
    throw DataError(y.path, "the file has " + std::to_string(y.dims.size()) +
                                " dimensions, expected 1, or 2 (rows, targets)");
  }
  if (y.rows() != x.rows()) {
    throw DataError(y.path, "the file has " + std::to_string(y.rows()) +
                                (y.per_row() == 1 ? " values" : " rows") + ", expected " +
                                std::to_string(x.rows()) + " as x has rows");
  }
  if (x.rows() == 0 || x.per_row() == 0) throw DataError(x.path, "no rows of data");
}

Shape shape_of(const NumberArray& x) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  for (const std::uint64_t dim : x.dims) {
    if (dim >= kMost) throw DataError(x.path, "a dimension of " + std::to_string(dim));
  }
  const auto dim = [&](std::size_t i) { return static_cast<std::int64_t>(x.dims[i]); };
  switch (x.dims.size()) {
    case 2:
      return Shape::features(dim(1));
    case 3:
      return Shape::image(dim(1), dim(2), 1);
    case 4:
      return Shape::image(dim(1), dim(2), dim(3));
    default:
      throw DataError(x.path, "the file has " + std::to_string(x.dims.size()) +
                                  " dimensions, expected 2 (rows, features), 3 (rows, height, "
                                  "width) or 4 (rows, height, width, channels)");
  }
}

void check_test(const Arrays& arrays) {
  check_pair(*arrays.test_x, *arrays.test_y);
  if (arrays.test_y->per_row() != arrays.y.per_row()) {
    throw DataError(arrays.test_y->path,
                    "the file has " + std::to_string(arrays.test_y->per_row()) +
                        " targets, expected " + std::to_string(arrays.y.per_row()) + " as y has");
  }
  if (arrays.test_x->dims.size() == arrays.x.dims.size() &&
      shape_of(*arrays.test_x) == shape_of(arrays.x))
    return;
  throw DataError(arrays.test_x->path, "its rows have another shape, expected " +
                                           shape_of(arrays.x).text() + " as x has");
}

/// "y", or "y1", "y2", ...
std::vector<std::string> target_names(const NumberArray& y) {
  if (y.per_row() == 1) return {"y"};
  std::vector<std::string> names;
  for (std::uint64_t i = 1; i <= y.per_row(); ++i) names.push_back("y" + std::to_string(i));
  return names;
}

void append_numbers(const NumberArray& y, std::size_t rows, std::vector<double>& numbers) {
  const std::size_t width = y.per_row();
  for (std::size_t i = 0; i < rows * width; ++i) {
    const double value = y.value(i);
    if (!std::isfinite(value)) {
      throw DataError(y.path, "row " + std::to_string(i / width) +
                                  " of y is not a number, expected one in "
                                  "every row (rows count from 0)");
    }
    numbers.push_back(value);
  }
}

/// Copies the rows that are left behind `x`, less the offsets of the columns where these are known;
/// returns what is behind them.
template <class T>
std::span<T> append_rows(const NumberArray& from, std::size_t first, std::size_t rows,
                         const std::vector<bool>& kept, std::span<const FeatureColumn> columns,
                         std::span<T> x) {
  const std::size_t width = from.per_row();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!is_left(kept, first + row)) continue;
    for (std::size_t c = 0; c < width; ++c) {
      const double value = from.value(row * width + c);
      const auto number = static_cast<T>(columns.empty() ? value : value - columns[c].offset);
      if (!std::isfinite(static_cast<double>(number)) && !std::isnan(value)) {
        throw DataError(from.path, "row " + std::to_string(row) + " holds " +
                                       base::format_double(value) +
                                       ", too large a number (rows count from 0)");
      }
      x[c] = number;
    }
    x = x.subspan(width);
  }
  return x;
}

/// Which rows are there, after `rows` and `classes`.
struct Chosen {
  std::size_t first = 0, tested = 0;  ///< rows read of x and of x_test
  std::vector<bool> kept;             ///< as keep_classes returned
  std::size_t rows = 0, test_rows = 0;
};

Chosen choose(const Arrays& arrays, const DataSpec& spec) {
  Chosen chosen;
  const std::size_t all = arrays.x.rows();
  chosen.first =
      spec.rows > 0 ? std::min<std::size_t>(static_cast<std::size_t>(spec.rows), all) : all;
  chosen.tested = arrays.test_x ? arrays.test_x->rows() : 0;
  return chosen;
}

void count_rows(Chosen& chosen) {
  for (std::size_t row = 0; row < chosen.first + chosen.tested; ++row) {
    if (!is_left(chosen.kept, row)) continue;
    ++chosen.rows;
    if (row >= chosen.first) ++chosen.test_rows;
  }
}

TargetValues read_targets(const Arrays& arrays, const DataSpec& spec, Chosen& chosen,
                          std::vector<std::string>& notes) {
  std::vector<double> numbers;
  append_numbers(arrays.y, chosen.first, numbers);
  if (arrays.test_y) append_numbers(*arrays.test_y, chosen.tested, numbers);
  const bool classes = !spec.classes.empty();
  TargetValues target =
      target_of(arrays.y.path, target_names(arrays.y), std::move(numbers),
                classes ? LearningTask::classification : spec.task, notes, spec.for_model ? 1 : 2);
  chosen.kept = keep_classes(spec.path, spec.classes, target.class_names, target.labels);
  count_rows(chosen);
  return target;
}

Dataset::Header describe(const Arrays& arrays, const TargetValues& target, const Chosen& chosen,
                         const DataSpec& spec) {
  Dataset::Header header;
  const bool bytes =
      arrays.x.type == NumberType::u8 && (!arrays.test_x || arrays.test_x->type == NumberType::u8);
  header.rows = chosen.rows;
  header.input = shape_of(arrays.x);
  header.cols = arrays.x.per_row();
  header.places = header.cols;
  header.storage = bytes ? Storage::u8 : Storage::f32;
  header.task = target.task;
  header.class_names = target.class_names;
  header.targets.clear();
  for (const std::string& name : target_names(arrays.y)) header.targets.push_back({.name = name});
  header.scaling = spec.scale;
  for (std::uint64_t c = 0; header.input.dims.size() == 1 && c < header.cols; ++c) {
    header.columns.push_back({.name = "c" + std::to_string(c + 1),
                              .categories = {},
                              .fill = std::numeric_limits<float>::quiet_NaN()});
  }
  return header;
}

/// "images of 32 x 32 pixels, 3 channels", with a doubt where these seem to come first.
void note_images(const NumberArray& x, std::vector<std::string>& notes) {
  if (x.dims.size() < 3) return;
  const auto dim = [&](std::size_t i) { return std::to_string(x.dims[i]); };
  std::string note = "images of " + dim(1) + " x " + dim(2) + " pixels";
  if (x.dims.size() == 4) note += ", " + base::counted(x.dims[3], "channel");
  const bool first = x.dims.size() == 4 && (x.dims[1] == 1 || x.dims[1] == 3) && x.dims[3] > 4;
  if (first) note += ": are the channels first? Expected are rows, height, width, channels";
  notes.push_back(std::move(note));
}

/// Calls `see(column, value)` for all of X that is left.
template <class See>
void for_each_number(const Arrays& arrays, const Chosen& chosen, std::size_t columns, See&& see) {
  const auto look_at = [&](const NumberArray& x, std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < rows * columns; ++i)
      if (is_left(chosen.kept, first + i / columns)) see(i % columns, x.value(i));
  };
  look_at(arrays.x, 0, chosen.first);
  if (arrays.test_x) look_at(*arrays.test_x, chosen.first, chosen.tested);
}

/// Sets the offset of every column that has one, by the rows that are left.
void find_offsets(const Arrays& arrays, const Chosen& chosen, Dataset::Header& header) {
  if (header.columns.empty() || header.storage == Storage::u8) return;
  std::vector<double> least(header.cols, HUGE_VAL), largest(header.cols, -HUGE_VAL);
  for_each_number(arrays, chosen, header.cols, [&](std::size_t c, double value) {
    least[c] = std::min(least[c], value);  // a NaN is never the less
    largest[c] = std::max(largest[c], value);
  });
  std::size_t found = 0;
  for (std::size_t c = 0; c < header.cols; ++c) {
    FeatureColumn& column = header.columns[c];
    column.offset = offset_of(least[c], largest[c], header.scaling);
    found += column.offset != 0;
  }
  if (found > 0)
    header.notes.push_back("subtracted from the numbers of " + base::counted(found, "column") +
                           ", which are large compared with their spread: the smallest of them");
}

/// Says in how many columns of numbers the mean stands in for a NaN.
void note_missing(const Arrays& arrays, const Chosen& chosen, Dataset::Header& header) {
  if (header.columns.empty() || header.storage == Storage::u8) return;
  std::size_t missing = 0;
  std::vector<bool> in(header.cols);
  for_each_number(arrays, chosen, header.cols, [&](std::size_t c, double value) {
    if (!std::isnan(value)) return;
    ++missing;
    in[c] = true;
  });
  if (missing == 0) return;
  const auto columns = std::ranges::count(in, true);
  header.notes.push_back("missing values, replaced by the mean over the training part: " +
                         std::to_string(missing) + " in " + base::counted(columns, "column"));
}

/// Images have no columns whose mean could stand in.
void refuse_missing(const Dataset& data, const std::string& path) {
  for (const float value : data.x_f32()) {
    if (std::isnan(value)) throw DataError(path, "the file has a value that is not a number");
  }
}

Dataset load_arrays(const Arrays& arrays, const DataSpec& spec, const LoadLimits& limits,
                    const base::Key& content) {
  refuse_column_options(spec, "arrays have no columns with names");
  check_pair(arrays.x, arrays.y);
  if (arrays.test_x) check_test(arrays);
  Chosen chosen = choose(arrays, spec);
  std::vector<std::string> notes;
  const TargetValues target = read_targets(arrays, spec, chosen, notes);
  Dataset::Header header = describe(arrays, target, chosen, spec);
  header.notes = std::move(notes);
  note_images(arrays.x, header.notes);
  find_offsets(arrays, chosen, header);
  note_missing(arrays, chosen, header);
  header.content = content;
  const Parts parts = split_rows(spec.path,
                                 {.count = chosen.rows,
                                  .labels = target.labels,
                                  .classes = target.class_names.size(),
                                  .test_rows = chosen.test_rows},
                                 spec.split);
  note_parts(target, parts, header.notes);
  fit_unit(target, parts, header);
  Dataset data = make_dataset(std::move(header), parts, spec.path, limits);
  const auto store = [&](auto x) {
    const auto& columns = data.header().columns;
    x = append_rows(arrays.x, 0, chosen.first, chosen.kept, columns, x);
    if (arrays.test_x)
      append_rows(*arrays.test_x, chosen.first, chosen.tested, chosen.kept, columns, x);
  };
  if (data.header().storage == Storage::u8) {
    store(data.mutable_x_u8());
  } else {
    store(data.mutable_x_f32());
  }
  store_targets(target, data);
  if (spec.for_model && !data.header().columns.empty()) return data;
  fill_missing(data);
  refuse_missing(data, arrays.x.path);
  fit_scaling(data, spec.path);
  return data;
}

/// One tensor of a file, or nothing where there is none of that name.
std::optional<NumberArray> tensor(const Safetensors& file, const std::string& path,
                                  const std::string& name) {
  constexpr std::array<std::pair<std::string_view, NumberType>, 13> kTypes{
      {{"BOOL", NumberType::u8},
       {"U8", NumberType::u8},
       {"I8", NumberType::i8},
       {"U16", NumberType::u16},
       {"I16", NumberType::i16},
       {"U32", NumberType::u32},
       {"I32", NumberType::i32},
       {"U64", NumberType::u64},
       {"I64", NumberType::i64},
       {"F16", NumberType::f16},
       {"BF16", NumberType::bf16},
       {"F32", NumberType::f32},
       {"F64", NumberType::f64}}};
  const TensorEntry* entry = file.find(name);
  if (entry == nullptr) return std::nullopt;
  NumberArray array;
  array.path = path;
  for (const auto& [word, type] : kTypes) {
    if (word == entry->dtype) array.type = type;
  }
  for (const std::int64_t dim : entry->shape) array.dims.push_back(static_cast<std::uint64_t>(dim));
  const auto bytes = file.bytes(*entry);
  array.bytes.assign(bytes.begin(), bytes.end());
  return array;
}

NumberArray required(std::optional<NumberArray> array, const std::string& path,
                     const std::string& name) {
  if (!array)
    throw DataError(path, "the file has no tensor " + in_quotes(name) +
                              ", expected x and y, and perhaps x_test and y_test");
  return *std::move(array);
}

}  // namespace

Dataset load_npy(const std::array<SourceFile, 2>& files, const DataSpec& spec,
                 const LoadLimits& limits) {
  const Arrays arrays{.x = read_npy(files[0], limits.inflated_bytes),
                      .y = read_npy(files[1], limits.inflated_bytes),
                      .test_x = {},
                      .test_y = {}};
  return load_arrays(arrays, spec, limits, combine(files));
}

Dataset load_safetensors(const SourceFile& file, const DataSpec& spec, const LoadLimits& limits) {
  std::string unpacked;
  const std::string_view content = read_content(file, limits.inflated_bytes, unpacked);
  const Safetensors tensors = parse_safetensors(std::as_bytes(std::span(content)), file.path());
  const auto find = [&](const std::string& name) { return tensor(tensors, file.path(), name); };
  Arrays arrays{.x = required(find("x"), file.path(), "x"),
                .y = required(find("y"), file.path(), "y"),
                .test_x = find("x_test"),
                .test_y = {}};
  if (arrays.test_x) arrays.test_y = required(find("y_test"), file.path(), "y_test");
  return load_arrays(arrays, spec, limits, hash_of(file));
}

}  // namespace nn
