#pragma once
// The points that trials have already.

#include <cstdint>
#include <string>
#include <unordered_set>

#include "hpo/space/params.h"

namespace hpo {

/// A set of points. Two points are one when all names and values are equal, types included.
class Tried {
 public:
  void add(const Params& params) { points_.insert(json_of(params)); }
  [[nodiscard]] bool has(const Params& params) const { return points_.contains(json_of(params)); }
  /// Number of different points.
  [[nodiscard]] std::uint64_t size() const { return points_.size(); }

 private:
  std::unordered_set<std::string> points_;
};

}  // namespace hpo
