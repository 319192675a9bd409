#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "nn/data/class_filter.h"
#include "nn/data/idx_reader.h"
#include "nn/data/load_files.h"
#include "nn/data/scaling.h"

namespace nn {

namespace {

std::vector<std::uint8_t> read_labels(const SourceFile& file, const LoadLimits& limits) {
  IdxReader reader(file, 1, 1, limits);
  std::vector<std::uint8_t> labels(reader.header().rows());
  reader.values(labels);
  reader.expect_end();
  return labels;
}

void check_spec(const DataSpec& spec) {
  refuse_column_options(spec, "images have no columns");
  if (spec.task == LearningTask::regression) {
    throw DataError(spec.path, "task: labels of images are classes, expected classification");
  }
}

void check_pair(const std::string& images, std::size_t image_count, const std::string& labels,
                std::size_t label_count) {
  if (image_count == label_count) return;
  throw DataError(labels, "the file has " + std::to_string(label_count) + " labels, expected " +
                              std::to_string(image_count) + " as " +
                              std::filesystem::path(images).filename().string() + " has images");
}

/// Labels of the training files' rows, then of the test part, as class numbers.
struct Labels {
  std::vector<std::string> names;  ///< distinct labels of both files, ascending
  std::vector<std::int32_t> labels;
  std::size_t train = 0;  ///< rows of the training files among them
};

Labels number_labels(std::span<const std::uint8_t> train, std::span<const std::uint8_t> test,
                     std::size_t kept) {
  std::array<bool, 256> seen{};
  for (const auto label : train) seen[label] = true;
  for (const auto label : test) seen[label] = true;
  Labels out;
  out.train = kept;
  std::array<std::int32_t, 256> class_of{};
  for (std::size_t label = 0; label < seen.size(); ++label) {
    if (!seen[label]) continue;
    class_of[label] = static_cast<std::int32_t>(out.names.size());
    out.names.push_back(std::to_string(label));
  }
  out.labels.reserve(kept + test.size());
  for (const auto label : train.first(kept)) out.labels.push_back(class_of[label]);
  for (const auto label : test) out.labels.push_back(class_of[label]);
  return out;
}

/// The test part is given by the files; validation rows come out of the training files.
Parts split_images(const DataSpec& spec, const Labels& labels) {
  return split_rows(spec.path,
                    {.count = labels.labels.size(),
                     .labels = labels.labels,
                     .classes = labels.names.size(),
                     .test_rows = labels.labels.size() - labels.train},
                    spec.split);
}

/// Only the classes that are asked for; says of every row before whether it was left.
std::vector<bool> choose_rows(const DataSpec& spec, Labels& labels) {
  const std::size_t train = labels.train;
  std::vector<bool> kept = keep_classes(spec.path, spec.classes, labels.names, labels.labels);
  if (!kept.empty()) {
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(train);
    labels.train = static_cast<std::size_t>(std::count(kept.begin(), end, true));
  }
  return kept;
}

/// The images `first` .. `first + count` - 1 of both files together that are left, one after
/// another, to the front of `x`; returns what is behind them.
std::span<std::uint8_t> read_images(IdxReader& reader, std::size_t first, std::size_t count,
                                    const std::vector<bool>& kept, std::span<std::uint8_t> x) {
  const std::size_t size = reader.header().per_row;
  if (kept.empty()) {
    reader.values(x.first(count * size));
    return x.subspan(count * size);
  }
  std::vector<std::uint8_t> skipped(size);
  for (std::size_t row = first; row < first + count; ++row) {
    reader.values(kept[row] ? x.first(size) : std::span(skipped));
    if (kept[row]) x = x.subspan(size);
  }
  return x;
}

Shape image_shape(const IdxHeader& header) {
  const auto dim = [&](std::size_t i) { return static_cast<std::int64_t>(header.dims[i]); };
  return Shape::image(dim(1), dim(2), header.dims.size() == 4 ? dim(3) : 1);
}

void check_shapes(const IdxHeader& train, const IdxHeader& test, const std::string& test_path) {
  if (image_shape(test) == image_shape(train)) return;
  throw DataError(test_path, "the file has images of " + image_shape(test).text() + ", expected " +
                                 image_shape(train).text() + " as those to train on");
}

Dataset::Header describe(const DataSpec& spec, const IdxHeader& images, const Labels& labels) {
  Dataset::Header header;
  header.rows = labels.labels.size();
  header.cols = images.per_row;
  header.places = header.cols;
  header.input = image_shape(images);
  header.storage = Storage::u8;
  header.task = LearningTask::classification;
  header.class_names = labels.names;
  header.targets = {{.name = "label"}};
  header.scaling = spec.scale;
  return header;
}

}  // namespace

std::array<std::string, 4> idx_files(const std::string& folder) {
  constexpr std::array<std::string_view, 4> kStems{"train-images", "train-labels", "t10k-images",
                                                   "t10k-labels"};
  constexpr std::array<std::string_view, 4> kEnds{"3-ubyte", "1-ubyte", "3-ubyte", "1-ubyte"};
  std::array<std::string, 4> paths;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (const std::string_view dash : {"-idx", ".idx"}) {
      for (const std::string_view suffix : {"", ".gz"}) {
        const std::string name = std::string(kStems[i]) + std::string(dash) +
                                 std::string(kEnds[i]) + std::string(suffix);
        const std::filesystem::path path = std::filesystem::path(folder) / name;
        std::error_code ignored;
        if (paths[i].empty() && std::filesystem::exists(path, ignored)) paths[i] = path;
      }
    }
    if (paths[i].empty()) {
      throw DataError(folder, "the folder has no " + std::string(kStems[i]) + "-idx" +
                                  std::string(kEnds[i]) +
                                  " (or .gz), expected the four files of an IDX data set");
    }
  }
  return paths;
}

Dataset load_idx(const std::array<SourceFile, 4>& files, const DataSpec& spec,
                 const LoadLimits& limits) {
  check_spec(spec);
  const auto& [train_images, train_names, test_images, test_names] = files;
  const auto train_labels = read_labels(train_names, limits);
  const auto test_labels = read_labels(test_names, limits);
  IdxReader train(train_images, 3, 4, limits);
  IdxReader test(test_images, 3, 4, limits);
  check_pair(train_images.path(), train.header().rows(), train_names.path(), train_labels.size());
  check_pair(test_images.path(), test.header().rows(), test_names.path(), test_labels.size());
  check_shapes(train.header(), test.header(), test_images.path());

  const std::size_t all = train_labels.size();
  const std::size_t kept = spec.rows > 0 ? std::min<std::size_t>(spec.rows, all) : all;
  Labels labels = number_labels(train_labels, test_labels, kept);
  if (labels.names.size() < 2)
    throw DataError(train_names.path(),
                    "every training and test row has the same label; a classifier needs at least "
                    "two classes");
  const std::vector<bool> left = choose_rows(spec, labels);
  const Parts parts = split_images(spec, labels);
  Dataset::Header header = describe(spec, train.header(), labels);
  header.content = combine(files);
  Dataset data = make_dataset(std::move(header), parts, spec.path, limits);
  const auto behind = read_images(train, 0, kept, left, data.mutable_x_u8());
  if (kept == all) train.expect_end();
  read_images(test, kept, test_labels.size(), left, behind);
  test.expect_end();
  std::copy(labels.labels.begin(), labels.labels.end(), data.mutable_labels().begin());
  fit_scaling(data, spec.path);
  return data;
}

}  // namespace nn
