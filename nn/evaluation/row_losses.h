#pragma once
// The loss of each row by itself, so that two networks can be compared row by row.

#include <vector>

#include "nn/data/data_view.h"
#include "nn/metrics/judged.h"
#include "nn/training/hyper.h"

namespace nn {

/// The complete loss of each row that was judged, [rows]; `data` is the view that was answered.
/// Computed on the calling thread, whatever device answered.
[[nodiscard]] std::vector<float> row_losses(const Judged& judged, const Choice& loss,
                                            const DataView& data);

/// The mean of what the second loses less than the first, row by row, and its standard error; both
/// NaN for fewer than two rows, or where a loss is no number.
struct PairedGain {
  double mean = 0, error = 0;
};
[[nodiscard]] PairedGain paired_gain(const std::vector<float>& first,
                                     const std::vector<float>& second);

}  // namespace nn
