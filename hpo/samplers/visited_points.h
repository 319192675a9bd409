#pragma once
// The points that trials have already, and those that no trial may have.

#include <cstdint>
#include <unordered_set>

#include "hpo/space/space.h"

namespace hpo {

/// A set of points of a space, kept by their keys (key_of). The space outlives it.
class VisitedPoints {
 public:
  explicit VisitedPoints(const Space& space) : space_(space) {}

  void add(const Params& params) { points_.insert(key_of(params)); }
  [[nodiscard]] bool has(const Params& params) const { return points_.contains(key_of(params)); }
  /// Whether the next trial may be this one: nobody has it and the space allows it.
  [[nodiscard]] bool leaves(const Params& params) const {
    return space_.allows(params) && !has(params);
  }
  /// Number of different points.
  [[nodiscard]] std::uint64_t size() const { return points_.size(); }

 private:
  const Space& space_;
  std::unordered_set<base::Key> points_;
};

}  // namespace hpo
