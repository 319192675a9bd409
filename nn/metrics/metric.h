#pragma once
// What a metric is: one object per kind, listed in registry.cpp.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/metrics/judged.h"
#include "nn/training/hyper.h"

namespace nn {

/// Returns a metric of rows of which row i counts `counts[i]` times; NaN where it has no meaning.
using OfCounts = std::function<double(std::span<const std::uint32_t> counts)>;

/// A number that says how good the answers of a network are; a pure function of them.
struct Metric {
  std::string_view name;  ///< "accuracy": trials report it as valid.accuracy
  TargetKind target = TargetKind::labels;
  bool maximize = true;  ///< whether more is better
  std::string_view doc;  ///< one line for the reference page: definition, range, unit
  double (*value)(const Judged&) = nullptr;  ///< of at least one row; NaN where it has no meaning
  /// Set if the metric is a mean over rows. Returns the number that each row contributes, [rows].
  std::vector<double> (*of_rows)(const Judged&) = nullptr;
  /// Set if it follows from how often classes were given and right.
  double (*of_classes)(const ClassCounts&) = nullptr;
  /// Set if it is no mean over rows, for drawing rows again and again. The result refers to
  /// nothing.
  OfCounts (*of_counts)(const Judged&) = nullptr;
};

/// Beside the means over all targets every metric of numbers is measured of each target by itself,
/// as "rmse.TARGET", where there are from two to so many.
inline constexpr std::size_t kMostTargetsApart = 16;

/// Whether so many targets are measured apart.
[[nodiscard]] constexpr bool measured_apart(std::size_t targets) {
  return targets > 1 && targets <= kMostTargetsApart;
}

/// What is measured of answers for such targets, in the order of scores: all metrics of the kind,
/// then, where targets are measured apart, all of them of each.
[[nodiscard]] std::vector<std::string> measured_names(TargetKind kind,
                                                      std::span<const std::string> targets);
[[nodiscard]] std::vector<std::string> measured_names(TargetKind kind,
                                                      std::span<const TargetColumn> targets);

/// Measures everything that measured_names() lists, with those names.
[[nodiscard]] std::vector<std::pair<std::string, double>> measure_all(TargetKind kind,
                                                                      const Judged& judged);

/// The registry: every metric, in the order in which trials report them; and the one behind a name,
/// null where there is none.
[[nodiscard]] std::span<const Metric* const> metrics();
[[nodiscard]] const Metric* find_metric(std::string_view name);

}  // namespace nn
