#pragma once
// A line of a chart in Braille characters, of which each is two dots wide and four high.

#include <string>
#include <vector>

namespace cli {

/// Rows from top to bottom, of so many characters each. The values go from left to right, each
/// over its part of the width; NaN leaves a gap. `low` is at the bottom, `high` at the top.
[[nodiscard]] std::vector<std::string> braille_chart(const std::vector<double>& values, int columns,
                                                     int rows, double low, double high);

}  // namespace cli
