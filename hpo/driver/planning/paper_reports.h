#pragma once
// What trials report that were never run: each has a quality, drawn once, by which its reports
// rank.

#include <cstdint>

#include "base/random.h"
#include "hpo/study/spec.h"

namespace hpo {

/// From 0 to 1. Draws are independent of each other.
[[nodiscard]] inline double paper_quality(const StudySpec& study, std::uint64_t trial,
                                          std::uint64_t draw = 0) {
  if (draw == 0) return base::Stream(study.seed, "plan", trial).uniform();
  return base::Stream(study.seed, "plan", trial, draw).uniform();
}

/// The report of a trial of that quality: always better than before, so that no rule stops it for
/// standing still, and never bad in itself.
[[nodiscard]] inline double paper_value(double quality, std::int64_t step, bool maximize) {
  constexpr double kStride = 1e6;
  const double gain = kStride * static_cast<double>(step);
  return maximize ? quality + gain : quality - gain;
}

}  // namespace hpo
