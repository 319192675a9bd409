#include "nn/training/lr_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "base/error.h"
#include "nn/error.h"
#include "nn/fields.h"

namespace nn {
namespace {

double value_in(const LrPiece& piece, double epoch) {
  const double share = (epoch - piece.begin) / (piece.end - piece.begin);
  switch (piece.shape) {
    case LrShape::constant:
      return piece.first;
    case LrShape::linear:
      return piece.first + (piece.last - piece.first) * share;
    case LrShape::cosine:
      break;
  }
  const double left = (1 + std::cos(std::numbers::pi * share)) / 2;
  return piece.last + (piece.first - piece.last) * left;
}

[[noreturn]] void refuse(const std::string& what) { throw SpecError(-1, "lr", what); }

}  // namespace

double lr_at(const LrCurve& curve, double epoch) {
  const auto piece =
      std::ranges::find_if(curve, [&](const LrPiece& each) { return epoch < each.end; });
  if (piece == curve.end())
    throw base::Error(base::Errc::internal,
                      "no learning rate is known for epoch " + to_text(epoch));
  return value_in(*piece, epoch);
}

LrCurve part_of(const LrCurve& curve, double from, double to) {
  LrCurve part;
  for (LrPiece piece : curve) {
    if (piece.end <= from || piece.begin >= to) continue;
    if (piece.shape == LrShape::constant) {
      piece.begin = std::max(piece.begin, from);
      piece.end = std::min(piece.end, to);
      const bool goes_on = !part.empty() && part.back().shape == LrShape::constant &&
                           part.back().first == piece.first;
      if (goes_on) {
        part.back().end = piece.end;
        continue;
      }
    }
    part.push_back(piece);
  }
  return part;
}

LrCurve piecewise_curve(std::span<const std::pair<std::int64_t, double>> points) {
  if (points.empty()) refuse("lr has no values, expected at least [[0, value]]");
  if (points[0].first != 0)
    refuse("lr begins at epoch " + std::to_string(points[0].first) + ", expected 0");
  LrCurve curve;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [epoch, value] = points[i];
    if (!(value > 0) || !std::isfinite(value))
      refuse("lr is " + to_text(value) + " from epoch " + std::to_string(epoch) +
             ", expected a number above 0");
    if (i + 1 == points.size()) {
      append_rest(curve, value);
      break;
    }
    if (points[i + 1].first <= epoch) {
      refuse("lr changes at epoch " + std::to_string(points[i + 1].first) + " after " +
             std::to_string(epoch) + ", expected ascending epochs");
    }
    append(curve, LrShape::constant, static_cast<double>(points[i + 1].first), value, value);
  }
  return curve;
}

void append(LrCurve& curve, LrShape shape, double end, double first, double last) {
  const double begin = curve.empty() ? 0 : curve.back().end;
  if (end <= begin) return;
  curve.push_back({.begin = begin, .end = end, .first = first, .last = last, .shape = shape});
}

void append_rest(LrCurve& curve, double value) {
  append(curve, LrShape::constant, std::numeric_limits<double>::infinity(), value, value);
}

}  // namespace nn
