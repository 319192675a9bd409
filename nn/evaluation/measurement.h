#pragma once
// One metric of answered rows, in the form from which intervals are computed.

#include <cstddef>
#include <string_view>
#include <vector>

#include "nn/data/data_view.h"
#include "nn/metrics/metric.h"
#include "nn/training/hyper.h"

namespace nn {

struct Measurement {
  double value = 0;
  bool maximize = false;
  std::size_t count = 0;       ///< of rows
  std::vector<double> rows{};  ///< what each row contributes, [rows], if the metric is a mean of it
  OfCounts of_counts{};        ///< set if the metric is no mean over rows
};

/// Measures `judged` by a metric that trials report, named without its part: "accuracy",
/// "rmse.TARGET", "loss". `data` is the view that was answered; `loss` is that of the training.
/// Throws base::Error (internal) if answers of this kind have no such metric.
[[nodiscard]] Measurement measure(std::string_view metric, const Judged& judged, const Choice& loss,
                                  const DataView& data);

}  // namespace nn
