#pragma once
// The colors of the page in daylight. What they tell apart, shapes tell apart, too: they survive
// grey paper and color-blind eyes.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace hpo::figures {

inline constexpr std::string_view kInk = "#1d2522", kSoft = "#5c6763", kGrid = "#e9e6df",
                                  kData = "#2f6f4f", kWinner = "#c2531b", kStopped = "#8d9693",
                                  kFailed = "#8a2f3c", kBand = "#dcebe2";

/// Lines of several studies: a color and a dash each (Okabe and Ito).
struct LineLook {
  std::string_view color, dash;
};
inline constexpr std::array<LineLook, 6> kLineLooks{
    LineLook{"#0072b2", ""},        LineLook{"#d55e00", "5 2"},
    LineLook{"#009e73", "1.5 1.5"}, LineLook{"#cc79a7", "6 1.5 1.5 1.5"},
    LineLook{"#56b4e9", "3 3"},     LineLook{"#000000", "8 2"}};

/// Viridis from dark to light, for ranks: the best is 0, the last 1.
[[nodiscard]] std::string rank_color(double share);

}  // namespace hpo::figures
