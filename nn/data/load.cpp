#include "nn/data/load.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/hash.h"
#include "nn/data/load_files.h"
#include "nn/data/scaling.h"

namespace nn {

namespace {

std::array<SourceFile, 4> open_idx(const DataSpec& spec, const LoadLimits& limits) {
  const auto paths = idx_files(spec.path);
  const auto open = [&](std::size_t i) { return SourceFile(paths[i], limits.file_bytes); };
  return {open(0), open(1), open(2), open(3)};
}

std::array<SourceFile, 2> open_pair(const DataSpec& spec, const LoadLimits& limits) {
  return {SourceFile(spec.path, limits.file_bytes), SourceFile(spec.more, limits.file_bytes)};
}

}  // namespace

base::Key content_hash(const DataSpec& spec, const LoadLimits& limits) {
  const auto hash = [&](const std::string& path) { return hash_of(path, limits.file_bytes); };
  std::vector<base::Key> hashes;
  if (spec.kind == DataKind::idx) {
    for (const std::string& path : idx_files(spec.path)) hashes.push_back(hash(path));
  } else if (!spec.more.empty()) {
    hashes = {hash(spec.path), hash(spec.more)};
  } else {
    return hash(spec.path);
  }
  return combine(hashes);
}

Dataset load_dataset(const DataSpec& spec, const LoadLimits& limits) {
  switch (spec.kind) {
    case DataKind::idx:
      return load_idx(open_idx(spec, limits), spec, limits);
    case DataKind::npy:
      return load_npy(open_pair(spec, limits), spec, limits);
    case DataKind::safetensors:
      return load_safetensors(SourceFile(spec.path, limits.file_bytes), spec, limits);
    case DataKind::csv:
      break;
  }
  if (!spec.more.empty()) return load_csv(open_pair(spec, limits), spec, limits);
  const std::array<SourceFile, 1> file{SourceFile(spec.path, limits.file_bytes)};
  return load_csv(file, spec, limits);
}

void fit_unit(const TargetValues& target, const Parts& parts, Dataset::Header& header) {
  if (!target.numbers.empty()) fit_targets(target.numbers, parts.train, header.targets);
}

void store_targets(const TargetValues& target, Dataset& data) {
  if (data.is_classification()) {
    std::copy(target.labels.begin(), target.labels.end(), data.mutable_labels().begin());
    return;
  }
  const auto& columns = data.header().targets;
  const auto y = data.mutable_targets();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const TargetColumn& column = columns[i % columns.size()];
    y[i] = static_cast<float>((target.numbers[i] - column.shift) / column.unit);
  }
}

void refuse_column_options(const DataSpec& spec, const std::string& why) {
  const auto refuse = [&](const std::string& option, bool is_set) {
    if (is_set) throw DataError(spec.path, option + ": " + why + ", only `csv` data has");
  };
  refuse("target", !spec.targets.empty());
  refuse("ignore", !spec.ignore.empty());
  refuse("keep", !spec.keep.empty());
  refuse("categories", !spec.categories.empty());
  refuse("missing", !spec.missing.empty());
  refuse("skip", !spec.skip.none());
  refuse("split.group", !spec.split.group.empty());
  refuse("split.time", !spec.split.time.empty());
}

Dataset make_dataset(Dataset::Header header, const Parts& parts, const std::string& path,
                     const LoadLimits& limits) {
  header.train_rows = parts.train.size();
  header.valid_rows = parts.valid.size();
  header.test_rows = parts.test.size();
  header.valid_units = parts.valid_units;
  header.test_units = parts.test_units;
  std::size_t bytes = 0;
  try {
    bytes = Dataset::byte_size(header);
  } catch (const std::invalid_argument& problem) {
    throw DataError(path, problem.what());
  }
  if (bytes > limits.dataset_bytes) {
    throw DataError(path, "takes " + size_text(bytes) + " in memory, expected at most " +
                              size_text(limits.dataset_bytes));
  }
  Dataset data(std::move(header));
  std::copy(parts.train.begin(), parts.train.end(), data.mutable_part(Part::train).begin());
  std::copy(parts.valid.begin(), parts.valid.end(), data.mutable_part(Part::valid).begin());
  std::copy(parts.test.begin(), parts.test.end(), data.mutable_part(Part::test).begin());
  return data;
}

}  // namespace nn
