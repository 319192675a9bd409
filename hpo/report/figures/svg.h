#pragma once
// A picture as SVG whose texts stay texts. Units are points (1/72 inch); y grows downwards. The
// same calls give the same bytes.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpo::figures {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
};

struct Stroke {
  std::string_view color;
  double width = 1;
  std::string_view dash = {};  ///< "4 2"; empty: a full line
  double opacity = 1;
};

enum class Align : std::uint8_t { start, middle, end };

struct Font {
  std::string_view color;
  double size = 7;
  Align align = Align::start;
  bool bold = false;
};

inline constexpr double kPointsPerMm = 72 / 25.4;

/// Points that a text takes in Helvetica and in the fonts that have its widths.
[[nodiscard]] double text_width(std::string_view text, double size);
/// The text, cut with "…" where it is wider than `width`.
[[nodiscard]] std::string fitted(std::string_view text, double width, double size);

class Svg {
 public:
  /// `title` and `description` are for readers that do not see the picture.
  Svg(double width, double height, std::string_view title, std::string_view description);

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  void line(Point from, Point to, const Stroke& stroke);
  void polyline(std::span<const Point> points, const Stroke& stroke);
  /// Many polylines as one element.
  void polylines(std::span<const std::vector<Point>> lines, const Stroke& stroke);
  void curve(Point from, Point bend, Point bend_back, Point to, const Stroke& stroke);
  void area(std::span<const Point> points, std::string_view color, double opacity = 1);
  void rect(const Box& box, std::string_view color, double opacity = 1);
  void outline(const Box& box, const Stroke& stroke);

  // Marks, all of one kind as one element. Of those that fall on each other one is drawn.
  void dots(std::span<const Point> at, double radius, std::string_view color, double opacity = 1);
  void rings(std::span<const Point> at, double radius, const Stroke& stroke);
  void crosses(std::span<const Point> at, double radius, const Stroke& stroke);
  void diamonds(std::span<const Point> at, double radius, std::string_view color);
  /// With the tip upwards, or downwards.
  void triangles(std::span<const Point> at, double radius, std::string_view color, bool up);

  /// `at`: on the base line.
  void text(Point at, std::string_view words, const Font& font);
  /// Along the y axis, upwards, with its middle at `at`.
  void text_upwards(Point at, std::string_view words, const Font& font);
  /// A number to a power: 10 and −3.
  void power(Point at, std::string_view root, std::string_view exponent, const Font& font);

  [[nodiscard]] std::string text() &&;

 private:
  void path(const std::string& data, std::string_view attributes);

  double width_, height_;
  std::string out_;
};

}  // namespace hpo::figures
