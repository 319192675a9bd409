#include "nn/data/load.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "nn/data/load_files.h"

namespace nn {

namespace {

std::array<SourceFile, 4> open_idx(const DataSpec& spec, const LoadLimits& limits) {
  const auto paths = idx_files(spec.path);
  const auto open = [&](std::size_t i) { return SourceFile(paths[i], limits.file_bytes); };
  return {open(0), open(1), open(2), open(3)};
}

}  // namespace

ContentHash content_hash(const DataSpec& spec, const LoadLimits& limits) {
  if (spec.kind == DataKind::csv) return hash_of(SourceFile(spec.path, limits.file_bytes));
  return combine(open_idx(spec, limits));
}

Dataset load_dataset(const DataSpec& spec, const LoadLimits& limits) {
  if (spec.kind == DataKind::idx) return load_idx(open_idx(spec, limits), spec, limits);
  return load_csv(SourceFile(spec.path, limits.file_bytes), spec, limits);
}

Dataset make_dataset(Dataset::Header header, const Parts& parts, const std::string& path,
                     const LoadLimits& limits) {
  header.train_rows = parts.train.size();
  header.valid_rows = parts.valid.size();
  header.test_rows = parts.test.size();
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
