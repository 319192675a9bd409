#pragma once
// Fitting what is learnt from the training part besides the network: fills, scales, target units.

#include <cstdint>
#include <span>
#include <string>

#include "nn/data/dataset.h"

namespace nn {

/// What to take off the numbers of a column, in double, where rounding them to floats would move
/// some by more than a ten thousandth of their spread (Unix seconds of one day): the least of them;
/// else 0. Under Scale::none and `unit` always 0: there the numbers themselves are the inputs.
[[nodiscard]] double offset_of(double least, double largest, Scale scaling);

/// Replaces every NaN of X by its column's mean over the training part (0 where that part has no
/// number there) and records it in FeatureColumn::fill, for rows still to come also where the data
/// has none.
void fill_missing(Dataset& data);

/// Sets shift and scale of every column by data.header().scaling, from training rows alone; sums
/// run in row order in f64, the same for both storages. Throws DataError(path) for `unit` on values
/// that are not bytes.
void fit_scaling(Dataset& data, const std::string& path);

/// Sets shift and unit of each of `columns` to the mean and the standard deviation (1 when
/// constant) of the training rows among `numbers` [rows, columns].
void fit_targets(std::span<const double> numbers, std::span<const std::uint32_t> train,
                 std::span<TargetColumn> columns);

}  // namespace nn
