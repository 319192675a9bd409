#pragma once
// Ends of ranges that made trials fail.

#include <cstddef>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::report {

/// An end of a range at which trials failed, beyond all others.
struct BlamedEnd {
  const ParameterColumn* column;
  bool up;
  double bound;  ///< the last value with which a trial ended
  std::ptrdiff_t failed;
};

/// The ends that explain most of the failures, each of which counts for one end alone.
[[nodiscard]] std::vector<BlamedEnd> blamed_ends(const Gathered& study);

}  // namespace hpo::report
