#pragma once
// The loaders behind load_dataset, one a kind of file; and what they have in common.

#include <array>
#include <string>

#include "nn/data/load.h"
#include "nn/data/split.h"

namespace nn {

/// A table with a header or without, as CSV or with another delimiter, gzip or not.
[[nodiscard]] Dataset load_csv(const DataSpec& spec, const LoadLimits& limits);

/// The four files of an IDX data set (the format of MNIST): images and labels to train on, images
/// and labels of the test part.
[[nodiscard]] Dataset load_idx(const DataSpec& spec, const LoadLimits& limits);

/// Their paths in a folder: train images, train labels, test images, test labels; each with or
/// without .gz, with '-' or '.' before "idx". Throws DataError naming the file that is missing.
[[nodiscard]] std::array<std::string, 4> idx_files(const std::string& folder);

/// An owning data set of that header with its parts written, once its size was found within limits.
[[nodiscard]] Dataset make_dataset(Dataset::Header header, const Parts& parts,
                                   const std::string& path, const LoadLimits& limits);

}  // namespace nn
