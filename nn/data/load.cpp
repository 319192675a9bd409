#include "nn/data/load.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nn/data/load_files.h"
#include "nn/data/source_file.h"

namespace nn {

ContentHash content_hash(const DataSpec& spec, const LoadLimits& limits) {
  if (spec.kind == DataKind::csv) return hash_of(SourceFile(spec.path, limits.file_bytes));
  std::vector<ContentHash> hashes;
  for (const std::string& path : idx_files(spec.path)) {
    hashes.push_back(hash_of(SourceFile(path, limits.file_bytes)));
  }
  return combine(hashes);
}

Dataset load_dataset(const DataSpec& spec, const LoadLimits& limits) {
  return spec.kind == DataKind::csv ? load_csv(spec, limits) : load_idx(spec, limits);
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
    throw DataError(path, "takes " + std::to_string(bytes >> 20) +
                              " MiB in memory, expected at most " +
                              std::to_string(limits.dataset_bytes >> 20) + " MiB");
  }
  Dataset data(std::move(header));
  std::copy(parts.train.begin(), parts.train.end(), data.mutable_part(Part::train).begin());
  std::copy(parts.valid.begin(), parts.valid.end(), data.mutable_part(Part::valid).begin());
  std::copy(parts.test.begin(), parts.test.end(), data.mutable_part(Part::test).begin());
  return data;
}

}  // namespace nn
