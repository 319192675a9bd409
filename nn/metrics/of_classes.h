#pragma once
// Metrics that follow from how often classes were given and right.

#include "nn/metrics/confusion.h"
#include "nn/metrics/metric.h"

namespace nn {

/// Metric::value of a metric that `of` computes from the counts.
template <double (*of)(const ClassCounts&)>
double value_of_classes(const Judged& judged) {
  return of(count_classes(judged.outputs, judged.labels, judged.width));
}

/// Metric::of_counts of the same metric.
template <double (*of)(const ClassCounts&)>
OfCounts counts_of_classes(const Judged& judged) {
  return [given = given_classes(judged.outputs, judged.width), labels = judged.labels,
          classes = judged.width](std::span<const std::uint32_t> counts) {
    return of(count_classes(given, labels, counts, classes));
  };
}

}  // namespace nn
