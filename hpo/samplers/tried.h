#pragma once
// The points that trials have already.

#include <cstdint>
#include <unordered_set>

#include "hpo/space/params.h"

namespace hpo {

/// A set of points, kept by their keys (key_of).
class Tried {
 public:
  void add(const Params& params) { points_.insert(key_of(params)); }
  [[nodiscard]] bool has(const Params& params) const { return points_.contains(key_of(params)); }
  /// Number of different points.
  [[nodiscard]] std::uint64_t size() const { return points_.size(); }

 private:
  std::unordered_set<rt::Key> points_;
};

}  // namespace hpo
