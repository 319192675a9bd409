#include "cli/braille.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace cli {

namespace {

constexpr int kDotsWide = 2, kDotsHigh = 4;
constexpr unsigned kBlank = 0x2800;  // the character without a dot
/// The bit of each dot, column by column from the top.
constexpr std::array<std::array<unsigned, 4>, 2> kBits{
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string utf8_of(unsigned code) {
  return {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

/// The last value whose part of the width a column has begun.
double value_in(const std::vector<double>& values, int column, int columns) {
  const auto place = static_cast<std::size_t>(column) * values.size();
  return values[std::min(place / static_cast<std::size_t>(columns), values.size() - 1)];
}

}  // namespace

std::vector<std::string> braille_chart(const std::vector<double>& values, int columns, int rows,
                                       double low, double high) {
  const int wide = columns * kDotsWide, tall = rows * kDotsHigh;
  std::vector<unsigned> cells(static_cast<std::size_t>(columns * rows));
  int before = -1;
  for (int x = 0; x < wide && !values.empty(); ++x) {
    const double value = value_in(values, x, wide);
    if (!std::isfinite(value)) {
      before = -1;
      continue;
    }
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    const int y = tall - 1 - static_cast<int>(std::lround(share * (tall - 1)));
    // A jump is drawn as an upright line, down to where the column before has its dot.
    const int from = before >= 0 && before < y ? before + 1 : y;
    const int until = before > y ? before - 1 : y;
    for (int dot = from; dot <= until; ++dot)
      cells[static_cast<std::size_t>(dot / kDotsHigh * columns + x / kDotsWide)] |=
          kBits[static_cast<std::size_t>(x % kDotsWide)][static_cast<std::size_t>(dot % kDotsHigh)];
    before = y;
  }
  std::vector<std::string> lines(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < cells.size(); ++i)
    lines[i / static_cast<std::size_t>(columns)] += utf8_of(kBlank + cells[i]);
  return lines;
}

}  // namespace cli
