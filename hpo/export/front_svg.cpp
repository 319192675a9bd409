// The front as a picture.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "hpo/export/front.h"

namespace hpo {

namespace {

constexpr double kWidth = 720, kHeight = 440, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;

/// A coordinate.
std::string fixed(double value) { return base::with_decimals(value, 1); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

/// Maps the range [low, high] of a quantity linearly to pixels [from, to].
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  [[nodiscard]] double at(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

Axis axis_of(std::vector<double> values, double from, double to) {
  const auto [low, high] = std::ranges::minmax(values);
  const double margin = high > low ? (high - low) * 0.06 : std::max(std::abs(high), 1.0) * 0.06;
  return {low - margin, high + margin, from, to};
}

class Picture {
 public:
  explicit Picture(std::span<const FrontPoint> points) : points_(points) {
    std::vector<double> costs, qualities;
    for (const FrontPoint& point : points) {
      costs.push_back(std::log10(point.inference_flops));
      qualities.push_back(point.quality());
    }
    if (points_.empty()) return;
    x_ = axis_of(costs, kLeft, kWidth - kRight);
    y_ = axis_of(qualities, kHeight - kBottom, kTop);
  }

  [[nodiscard]] std::string svg(const std::vector<FrontPoint>& front) {
    if (points_.empty()) return "";
    out_ = base::cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"",
                     kHeight, "\" font-family=\"sans-serif\" font-size=\"12\">\n",
                     "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    axes();
    line(front);
    for (const FrontPoint& point : points_) dot(point);
    return out_ + "</svg>\n";
  }

 private:
  void text(double x, double y, std::string_view anchor, const std::string& words) {
    out_ += base::cat("<text x=\"", fixed(x), "\" y=\"", fixed(y), "\" text-anchor=\"", anchor,
                      "\">", escaped(words), "</text>\n");
  }

  void rule(double x1, double y1, double x2, double y2) {
    out_ += base::cat("<line x1=\"", fixed(x1), "\" y1=\"", fixed(y1), "\" x2=\"", fixed(x2),
                      "\" y2=\"", fixed(y2), "\" stroke=\"#ddd\"/>\n");
  }

  void axes() {
    const bool accuracy = !std::isnan(points_.front().accuracy);
    text(kLeft, 22, "start",
         accuracy ? "validation accuracy against FLOPs of one row"
                  : "validation loss against FLOPs of one row");
    constexpr int kTicks = 4;
    for (int i = 0; i <= kTicks; ++i) {
      const double cost = x_.low + (x_.high - x_.low) * i / kTicks;
      rule(x_.at(cost), kTop, x_.at(cost), kHeight - kBottom);
      text(x_.at(cost), kHeight - kBottom + 18, "middle", base::with_digits(std::pow(10, cost), 3));
      const double quality = y_.low + (y_.high - y_.low) * i / kTicks;
      rule(kLeft, y_.at(quality), kWidth - kRight, y_.at(quality));
      text(kLeft - 8, y_.at(quality) + 4, "end", base::with_digits(std::abs(quality), 4));
    }
    text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", "FLOPs of one row (log)");
  }

  void line(const std::vector<FrontPoint>& front) {
    out_ += "<polyline fill=\"none\" stroke=\"#2a7f4f\" stroke-width=\"2\" points=\"";
    for (const FrontPoint& point : front)
      out_ += base::cat(fixed(px(point)), ",", fixed(py(point)), " ");
    out_ += "\"/>\n";
  }

  void dot(const FrontPoint& point) {
    out_ += base::cat(
        "<circle cx=\"", fixed(px(point)), "\" cy=\"", fixed(py(point)),
        "\" r=\"4\" stroke=\"#555\" fill=\"", point.went_on ? "#2a7f4f" : "#ccc", "\"><title>",
        escaped(base::cat("trial ", point.trial, ", epoch ", base::format_double(point.epoch), ": ",
                          point.shape, ", ", point.what, point.went_on ? "" : ", not accepted")),
        "</title></circle>\n");
  }

  [[nodiscard]] double px(const FrontPoint& point) const {
    return x_.at(std::log10(point.inference_flops));
  }
  [[nodiscard]] double py(const FrontPoint& point) const { return y_.at(point.quality()); }

  std::span<const FrontPoint> points_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string front_svg(std::span<const FrontPoint> points) {
  return Picture(points).svg(front_of(points));
}

}  // namespace hpo
