#pragma once
// What a metric is: one object per kind, listed in registry.cpp.

#include <span>
#include <string>
#include <string_view>

#include "nn/hyper.h"
#include "nn/metrics/judged.h"

namespace nn {

/// A number that says how good the answers of a network are; a pure function of them.
struct Metric {
  std::string_view name;  ///< "accuracy": trials report it as valid.accuracy
  TargetKind target = TargetKind::labels;
  bool maximize = true;  ///< whether more is better
  std::string_view doc;  ///< one line for the reference page: definition, range, unit
  double (*value)(const Judged&) = nullptr;  ///< of at least one row; NaN where it has no meaning
};

/// The registry: every metric, in the order in which trials report them; and the one behind a name,
/// null where there is none.
[[nodiscard]] std::span<const Metric* const> metrics();
[[nodiscard]] const Metric* find_metric(std::string_view name);

}  // namespace nn
