#include "hpo/report/figures/ranks.h"

#include <algorithm>

#include "hpo/report/figures/colors.h"

namespace hpo::figures {

RankColors::RankColors(std::size_t count)
    : count_(count), shown_{rank_color(0), rank_color(0.5), rank_color(1)} {}

std::string RankColors::color(std::size_t rank) const {
  const double last = std::max(1.0, static_cast<double>(count_) - 1);
  return rank_color(static_cast<double>(rank) / last);
}

void RankColors::describe(std::vector<LegendEntry>& legend, Glyph glyph, const std::string& first,
                          const std::string& last) const {
  legend.push_back({glyph, shown_[0], first});
  if (count_ > 2) legend.push_back({glyph, shown_[1], "middle"});
  if (count_ > 1) legend.push_back({glyph, shown_[2], last});
}

}  // namespace hpo::figures
