#pragma once
// The points of a finite space by number.

#include <cstdint>
#include <memory>
#include <optional>

#include "hpo/space/space.h"

namespace hpo {

/// Space::grid_size and Space::grid_point for repeated use. Counts (up to 200,000) are cached, so a
/// point costs about one step for each value that a condition or forbidden combination names. Not
/// thread-safe. A moved-from object may only be destroyed or assigned.
class GridPoints {
 public:
  /// `space` outlives it.
  explicit GridPoints(const Space& space);
  ~GridPoints();
  GridPoints(GridPoints&&) noexcept;
  GridPoints& operator=(GridPoints&&) noexcept;

  /// See Space::grid_size.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }
  /// See Space::grid_point; throws base::Error (internal) where there is no such point.
  [[nodiscard]] Params point(std::uint64_t i);

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
  std::optional<std::uint64_t> size_;
};

}  // namespace hpo
