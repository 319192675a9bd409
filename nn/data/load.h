#pragma once
// From a DataSpec to a Dataset.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "nn/data/data_error.h"
#include "nn/data/data_spec.h"
#include "nn/data/dataset.h"

namespace nn {

/// Caps against files that are made to exhaust memory. The defaults suit a workstation.
struct LoadLimits {
  std::size_t file_bytes = std::size_t{4} << 30;      ///< of one file, compressed or not
  std::size_t inflated_bytes = std::size_t{4} << 30;  ///< of one file after decompression
  std::size_t dataset_bytes = std::size_t{16} << 30;  ///< of the finished block
  std::size_t columns = 65536;                        ///< of a CSV file
};

/// Where a path written in a study file leads: itself when absolute, else under `folder` (the study
/// file's), else under $TRELLIS_DATA, else under /usr/share/datasets, whichever exists first.
/// Absolute in any case. Throws DataError that names the places looked at and, for well-known data
/// sets, where to get them.
[[nodiscard]] std::string locate_data(std::string_view path, std::string_view folder);

/// What tells a file (or the four of an `idx` folder) from any other: reads the bytes, parses
/// nothing.
[[nodiscard]] base::Key content_hash(const DataSpec& spec, const LoadLimits& limits = {});

/// Reads, splits and fits the scaling. A pure function of the files' bytes and of the spec without
/// its path. Throws DataError; memory is allocated only after sizes were checked against the file
/// and the limits.
[[nodiscard]] Dataset load_dataset(const DataSpec& spec, const LoadLimits& limits = {});

}  // namespace nn
