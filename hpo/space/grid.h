#pragma once
// The points of a finite space by number.

#include <cstdint>
#include <memory>
#include <optional>

#include "hpo/space/space.h"

namespace hpo {

/// What Space::grid_size and Space::grid_point answer, for whoever asks often: what was counted
/// once is kept, so that a point costs as many steps as its parameters have values that conditions
/// or forbidden combinations name. Not thread-safe.
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
