#pragma once
// What most figures are made of: a frame with two axes, a legend, and the marks of trials.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/report/figures/axis.h"
#include "hpo/report/figures/svg.h"
#include "hpo/report/gathered.h"

namespace hpo::figures {

inline constexpr double kTickSize = 7, kTitleSize = 8;  // points

/// A kind of mark, in a picture and in its legend.
enum class Glyph : std::uint8_t { dot, ring, cross, diamond, outside, line, area };

struct LegendEntry {
  Glyph glyph;
  std::string_view color;
  std::string text;
  std::string_view dash = {};
  double width = 1.4;  ///< of a line
};

/// Writes the entries from the left to the right, in as many rows as they need. Returns where the
/// next thing may begin.
double draw_legend(Svg& svg, const Box& room, const std::vector<LegendEntry>& entries);

/// A frame with an axis below and one at the left.
class Plot {
 public:
  struct Titles {
    std::string x, y;
    bool has_y_marks = true;  ///< false: a neighbor with the same axis has them
  };

  /// Draws the frame into `room`, which its marks and titles need as well. The titles get the
  /// scale of their axis behind their names.
  Plot(Svg& svg, const Box& room, Axis x, Axis y, const Titles& titles);

  [[nodiscard]] const Box& box() const { return box_; }
  [[nodiscard]] const Axis& x_axis() const { return x_; }
  [[nodiscard]] const Axis& y_axis() const { return y_; }
  /// Points of values; what lies outside stands on the edge.
  [[nodiscard]] double x(double value) const { return x_at(x_.inside(value)); }
  [[nodiscard]] double y(double value) const { return y_at(y_.inside(value)); }
  [[nodiscard]] Point at(double to_right, double upwards) const {
    return {x(to_right), y(upwards)};
  }
  [[nodiscard]] double x_at(double share) const {
    return box_.left + kPad + share * (box_.width() - 2 * kPad);
  }
  [[nodiscard]] double y_at(double share) const {
    return box_.bottom - kPad - share * (box_.height() - 2 * kPad);
  }

 private:
  static constexpr double kPad = 4;  ///< so that marks at the ends are whole

  void draw_x(Svg& svg, const std::string& title) const;
  void draw_y(Svg& svg, const std::vector<Tick>& ticks) const;

  Axis x_, y_;
  Box box_;
};

/// Writes a mark's text, a power as a power.
void draw_tick_text(Svg& svg, Point at, const Tick& tick, const Font& font, double width);

/// Where the trials of a study stand in a plot, by how they ended.
struct TrialMarks {
  std::vector<Point> complete, others, failed;  ///< others: stopped, waiting or running
  std::vector<Point> below, above;              ///< on the edge: their values lie outside
  std::optional<Point> best;

  /// Adds a trial whose value is `u` of the y axis, from 0 to 1.
  void add(const report::Gathered& study, const TrialRow& row, Point at, double u);
  void draw(Svg& svg) const;
  /// What the legend has to say of them.
  void describe(std::vector<LegendEntry>& legend, const report::Gathered& study) const;
};

/// The values of all trials in trial order; NaN: none.
[[nodiscard]] std::vector<double> values_of(const report::Gathered& study);

/// Names for titles, legends and descriptions: visible, and not too long.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace hpo::figures
