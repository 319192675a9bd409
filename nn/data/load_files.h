#pragma once
// The loaders behind load_dataset, one a kind of file; and what they have in common.

#include <array>
#include <span>
#include <string>

#include "nn/data/load.h"
#include "nn/data/source_file.h"
#include "nn/data/split.h"
#include "nn/data/target.h"

namespace nn {

/// A table with a header or without, as CSV or with another delimiter, gzip or not; of two files
/// the second is the test part. The paths in the spec are not looked at.
[[nodiscard]] Dataset load_csv(std::span<const SourceFile> files, const DataSpec& spec,
                               const LoadLimits& limits);

/// NumPy arrays x and y. x has the dimensions rows, then features or height, width (, channels).
[[nodiscard]] Dataset load_npy(const std::array<SourceFile, 2>& files, const DataSpec& spec,
                               const LoadLimits& limits);

/// The tensors x and y of one file, and x_test and y_test for the test part where it has them.
[[nodiscard]] Dataset load_safetensors(const SourceFile& file, const DataSpec& spec,
                                       const LoadLimits& limits);

/// The four files of an IDX data set (the format of MNIST), in the order of idx_files.
[[nodiscard]] Dataset load_idx(const std::array<SourceFile, 4>& files, const DataSpec& spec,
                               const LoadLimits& limits);

/// Their paths in a folder: train images, train labels, test images, test labels; each with or
/// without .gz, with '-' or '.' before "idx". Throws DataError naming the file that is missing.
[[nodiscard]] std::array<std::string, 4> idx_files(const std::string& folder);

/// Throws DataError for what a spec says about columns that the data does not have, with `why`.
void refuse_column_options(const DataSpec& spec, const std::string& why);

/// An owning data set of that header with its parts written, once its size was found within limits.
[[nodiscard]] Dataset make_dataset(Dataset::Header header, const Parts& parts,
                                   const std::string& path, const LoadLimits& limits);

/// Of numbers: the unit that they are stored in, fitted on the training part.
void fit_unit(const TargetValues& target, const Parts& parts, Dataset::Header& header);

/// Writes y.
void store_targets(const TargetValues& target, Dataset& data);

}  // namespace nn
