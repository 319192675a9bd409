#pragma once
// The loaders behind load_dataset, one a kind of file; and what they have in common.

#include <array>
#include <string>

#include "nn/data/load.h"
#include "nn/data/source_file.h"
#include "nn/data/split.h"

namespace nn {

/// A table with a header or without, as CSV or with another delimiter, gzip or not. The path in the
/// spec is not looked at.
[[nodiscard]] Dataset load_csv(const SourceFile& file, const DataSpec& spec,
                               const LoadLimits& limits);

/// The four files of an IDX data set (the format of MNIST), in the order of idx_files.
[[nodiscard]] Dataset load_idx(const std::array<SourceFile, 4>& files, const DataSpec& spec,
                               const LoadLimits& limits);

/// Their paths in a folder: train images, train labels, test images, test labels; each with or
/// without .gz, with '-' or '.' before "idx". Throws DataError naming the file that is missing.
[[nodiscard]] std::array<std::string, 4> idx_files(const std::string& folder);

/// An owning data set of that header with its parts written, once its size was found within limits.
[[nodiscard]] Dataset make_dataset(Dataset::Header header, const Parts& parts,
                                   const std::string& path, const LoadLimits& limits);

}  // namespace nn
