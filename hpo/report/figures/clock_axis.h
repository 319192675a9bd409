#pragma once
// Axes of clock time.

#include <string>

#include "hpo/report/figures/axis.h"

namespace hpo::figures {

/// Seconds, minutes or hours, as fits the whole.
struct ClockUnit {
  double seconds = 1;
  std::string name = "s";
};
[[nodiscard]] ClockUnit clock_unit(double whole_seconds);

/// From 0 to a time, in that unit.
[[nodiscard]] inline Axis clock_axis(double whole_seconds, const ClockUnit& unit) {
  return {AxisKind::linear, 0, whole_seconds / unit.seconds};
}

}  // namespace hpo::figures
