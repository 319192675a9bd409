#include "hpo/report/figures/colors.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hpo::figures {

std::string rank_color(double share) {
  constexpr std::array<std::array<int, 3>, 5> kRanks{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {170, 220, 50}}};
  const double place = std::clamp(share, 0.0, 1.0) * (kRanks.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kRanks.size() - 2);
  const double part = place - static_cast<double>(below);
  std::string out = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const double from = kRanks[below][i], to = kRanks[below + 1][i];
    const auto mixed = static_cast<unsigned>(std::lround(from + part * (to - from)));
    out += "0123456789abcdef"[mixed >> 4U];
    out += "0123456789abcdef"[mixed & 15U];
  }
  return out;
}

}  // namespace hpo::figures
