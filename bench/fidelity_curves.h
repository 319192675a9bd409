// Learning curves that stopping rules are tried on: made up, and measured ones from tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/space.h"

namespace bench {

inline constexpr std::int64_t kCurveEpochs = 81;

/// A loss without its noise: of a trial with these params after so many epochs.
using Curve = std::function<double(const hpo::Params&, std::int64_t)>;

struct Curves {
  std::string name;
  Curve loss;
  double lowest = 0;  ///< the lowest loss of all
  double noise = 0;   ///< the deviation of what a trial reports from it
};

/// Three floats from 0 to 1, on which all curves depend.
[[nodiscard]] hpo::Space curves_space();

/// Where curves cross.
[[nodiscard]] Curves crossing_curves();
/// Whose order is turned round.
[[nodiscard]] Curves turned_curves();
/// Those of bench/curves (tabulate.py made them), by name: a trial's curve lies between those of
/// the nearest points. Throws base::Error (storage) for a table that cannot be read.
[[nodiscard]] std::vector<Curves> measured_curves();

}  // namespace bench
