#pragma once
// Colors of ranks, dark for the first, and what the legend says of them.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "hpo/report/figures/plot.h"

namespace hpo::figures {

class RankColors {
 public:
  /// `count`: of ranks that have a color.
  explicit RankColors(std::size_t count);
  /// The color of a rank, from 0 on.
  [[nodiscard]] std::string color(std::size_t rank) const;
  /// The first, the middle and the last rank, with a text for the first and one for the last. The
  /// entries refer to this object.
  void describe(std::vector<LegendEntry>& legend, Glyph glyph, const std::string& first,
                const std::string& last) const;

 private:
  std::size_t count_;
  std::array<std::string, 3> shown_;  ///< colors of the legend
};

}  // namespace hpo::figures
