#include "hpo/report/figures/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

/// Thousandths of the font size, from ' ' to '~' (Adobe's metrics of Helvetica).
constexpr std::array<int, 95> kHelvetica{
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  // ' ' to '/'
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // '0' to '?'
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // '@' to 'O'
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // 'P' to '_'
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // '`' to 'o'
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};      // 'p' to '~'
constexpr int kOther = 600, kWide = 1000;  // Latin and Greek; ideographs, which take three bytes

int width_of(std::string_view character) {
  const char first = character.front();
  if (character.size() == 1 && first >= ' ' && first <= '~')
    return kHelvetica[static_cast<std::size_t>(first - ' ')];
  return character.size() > 2 ? kWide : kOther;
}

/// Calls `take` with each character.
template <class Take>
void each_character(std::string_view text, Take take) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(base::utf8_length(text, i), 1);
    if (!take(text.substr(i, length))) return;
    i += length;
  }
}

/// A coordinate: hundredths of a point, which no printer shows.
std::string place(double x) {
  const double rounded = std::round(x * 100) / 100;
  return base::format_double(rounded == 0 ? 0.0 : rounded);
}

std::string place(Point at) { return base::cat(place(at.x), " ", place(at.y)); }

std::string stroked(const Stroke& stroke) {
  std::string out = base::cat(" fill=\"none\" stroke=\"", stroke.color, "\" stroke-width=\"",
                              place(stroke.width), "\"");
  if (!stroke.dash.empty()) out += base::cat(" stroke-dasharray=\"", stroke.dash, "\"");
  if (stroke.opacity < 1) out += base::cat(" stroke-opacity=\"", place(stroke.opacity), "\"");
  return out;
}

std::string filled(std::string_view color, double opacity = 1) {
  std::string out = base::cat(" fill=\"", color, "\"");
  if (opacity < 1) out += base::cat(" fill-opacity=\"", place(opacity), "\"");
  return out;
}

std::string lines_through(std::span<const Point> points) {
  std::string out;
  for (const Point& point : points) out += base::cat(out.empty() ? "M" : "L", place(point));
  return out;
}

/// What `mark` makes of each place, each place once.
template <class Mark>
std::string each_place(std::span<const Point> at, Mark mark) {
  std::set<std::pair<long, long>> seen;
  std::string out;
  for (const Point& point : at)
    if (seen.emplace(std::lround(point.x * 10), std::lround(point.y * 10)).second)
      out += mark(point);
  return out;
}

std::string font_attributes(const Font& font) {
  std::string out = base::cat(filled(font.color), " font-size=\"", place(font.size), "\"");
  if (font.align != Align::start)
    out += font.align == Align::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (font.bold) out += " font-weight=\"bold\"";
  return out;
}

}  // namespace

double text_width(std::string_view text, double size) {
  int thousandths = 0;
  each_character(text, [&](std::string_view character) {
    thousandths += width_of(character);
    return true;
  });
  return thousandths * size / 1000;
}

std::string fitted(std::string_view text, double width, double size) {
  const std::string shown = report::visible(text);
  if (text_width(shown, size) <= width) return shown;
  std::string out;
  double left = width - kWide * size / 1000;
  each_character(shown, [&](std::string_view character) {
    left -= width_of(character) * size / 1000;
    if (left >= 0) out += character;
    return left >= 0;
  });
  return out + "…";
}

Svg::Svg(double width, double height, std::string_view title, std::string_view description)
    : width_(width), height_(height) {
  out_ = base::cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
                   place(width / kPointsPerMm), "mm\" height=\"", place(height / kPointsPerMm),
                   "mm\" viewBox=\"0 0 ", place(width), " ", place(height),
                   "\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', ",
                   "sans-serif\">\n<title>", report::escaped(title), "</title>\n<desc>",
                   report::escaped(description), "</desc>\n<rect width=\"", place(width),
                   "\" height=\"", place(height), "\" fill=\"#ffffff\"/>\n");
}

void Svg::path(const std::string& data, std::string_view attributes) {
  if (!data.empty()) out_ += base::cat("<path d=\"", data, "\"", attributes, "/>\n");
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  path(base::cat("M", place(from), "L", place(to)), stroked(stroke));
}

void Svg::polyline(std::span<const Point> points, const Stroke& stroke) {
  path(lines_through(points), base::cat(stroked(stroke), " stroke-linejoin=\"round\""));
}

void Svg::polylines(std::span<const std::vector<Point>> lines, const Stroke& stroke) {
  std::string data;
  for (const std::vector<Point>& points : lines) data += lines_through(points);
  path(data, base::cat(stroked(stroke), " stroke-linejoin=\"round\""));
}

void Svg::curve(Point from, Point bend, Point bend_back, Point to, const Stroke& stroke) {
  path(base::cat("M", place(from), "C", place(bend), " ", place(bend_back), " ", place(to)),
       stroked(stroke));
}

void Svg::area(std::span<const Point> points, std::string_view color, double opacity) {
  if (!points.empty()) path(lines_through(points) + "Z", filled(color, opacity));
}

void Svg::rect(const Box& box, std::string_view color, double opacity) {
  out_ += base::cat("<rect x=\"", place(box.left), "\" y=\"", place(box.top), "\" width=\"",
                    place(box.width()), "\" height=\"", place(box.height()), "\"",
                    filled(color, opacity), "/>\n");
}

void Svg::outline(const Box& box, const Stroke& stroke) {
  out_ += base::cat("<rect x=\"", place(box.left), "\" y=\"", place(box.top), "\" width=\"",
                    place(box.width()), "\" height=\"", place(box.height()), "\"", stroked(stroke),
                    "/>\n");
}

void Svg::dots(std::span<const Point> at, double radius, std::string_view color, double opacity) {
  // A line without length under a round cap takes a third of the bytes of a circle.
  const std::string data =
      each_place(at, [](Point point) { return base::cat("M", place(point), "h0"); });
  path(data, base::cat(stroked({.color = color, .width = 2 * radius, .opacity = opacity}),
                       " stroke-linecap=\"round\""));
}

void Svg::rings(std::span<const Point> at, double radius, const Stroke& stroke) {
  const std::string r = place(radius), d = place(2 * radius);
  path(each_place(at,
                  [&](Point point) {
                    const std::string arc = base::cat("a", r, " ", r, " 0 1 0 ");
                    return base::cat("M", place({point.x - radius, point.y}), arc, d, " 0", arc,
                                     "-", d, " 0z");
                  }),
       stroked(stroke));
}

void Svg::crosses(std::span<const Point> at, double radius, const Stroke& stroke) {
  const std::string d = place(2 * radius);
  path(each_place(at,
                  [&](Point point) {
                    return base::cat("M", place({point.x - radius, point.y - radius}), "l", d, " ",
                                     d, "m-", d, " 0l", d, " -", d);
                  }),
       stroked(stroke));
}

void Svg::diamonds(std::span<const Point> at, double radius, std::string_view color) {
  const std::string r = place(radius);
  path(each_place(at,
                  [&](Point point) {
                    return base::cat("M", place({point.x - radius, point.y}), "l", r, " -", r, " ",
                                     r, " ", r, " -", r, " ", r, "z");
                  }),
       base::cat(filled(color), " stroke=\"#ffffff\" stroke-width=\"0.6\""));
}

void Svg::triangles(std::span<const Point> at, double radius, std::string_view color, bool up) {
  const double to_tip = up ? -radius : radius;
  path(each_place(at,
                  [&](Point point) {
                    return base::cat("M", place({point.x - radius, point.y - to_tip / 2}), "L",
                                     place({point.x + radius, point.y - to_tip / 2}), "L",
                                     place({point.x, point.y + to_tip}), "Z");
                  }),
       filled(color));
}

void Svg::text(Point at, std::string_view words, const Font& font) {
  if (words.empty()) return;
  out_ += base::cat("<text x=\"", place(at.x), "\" y=\"", place(at.y), "\"", font_attributes(font),
                    ">", report::escaped(words), "</text>\n");
}

void Svg::text_upwards(Point at, std::string_view words, const Font& font) {
  if (words.empty()) return;
  Font middle = font;
  middle.align = Align::middle;
  out_ += base::cat("<text transform=\"translate(", place(at), ") rotate(-90)\"",
                    font_attributes(middle), ">", report::escaped(words), "</text>\n");
}

void Svg::power(Point at, std::string_view root, std::string_view exponent, const Font& font) {
  out_ +=
      base::cat("<text x=\"", place(at.x), "\" y=\"", place(at.y), "\"", font_attributes(font), ">",
                report::escaped(root), "<tspan dy=\"", place(-0.35 * font.size), "\" font-size=\"",
                place(0.75 * font.size), "\">", report::escaped(exponent), "</tspan></text>\n");
}

std::string Svg::text() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace hpo::figures
