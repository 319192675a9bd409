#pragma once
// A learning rate over a training, as pieces. Every schedule becomes one (nn/schedules/), and a
// stretch of training carries the part of it that holds there: two schedules that agree on a
// stretch are the same work on it, whatever they do elsewhere.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nn {

/// How a rate goes from `first` to `last`.
enum class LrShape : std::uint8_t {
  constant,  ///< it stays at `first`
  linear,
  cosine,  ///< along half a wave of the cosine: flat at both ends
};

/// A rate from one moment to another, in epochs since the network's birth. Encodable.
struct LrPiece {
  double begin = 0;
  double end = 0;  ///< the piece holds in [begin, end); infinite for a constant that never ends
  double first = 0;
  double last = 0;  ///< what it comes to at `end`; equal to `first` in a constant piece
  LrShape shape = LrShape::constant;
  auto operator<=>(const LrPiece&) const = default;
};

/// Pieces in order, the first from 0, each beginning where the one before ends, the last a constant
/// that never ends.
using LrCurve = std::vector<LrPiece>;

/// The rate at a moment in epochs, from pieces of which one holds there.
[[nodiscard]] double lr_at(const LrCurve& curve, double epoch);

/// The pieces that hold somewhere in [from, to), in the one form that depends on nothing else:
/// constant ones end at these borders and equal neighbours are one; the others stay whole, as their
/// values need both ends.
[[nodiscard]] LrCurve part_of(const LrCurve& curve, double from, double to);

/// Constant values, each from its epoch to the next one's, the last one for ever. Throws SpecError
/// (field `lr`) unless there are points, the first at epoch 0, epochs ascend and values are finite
/// and above 0.
[[nodiscard]] LrCurve piecewise_curve(std::span<const std::pair<std::int64_t, double>> points);

/// Adds a piece that begins where the last one ends (at 0: the first); one of no length is left
/// out.
void append(LrCurve& curve, LrShape shape, double end, double first, double last);

/// Adds the constant that never ends.
void append_rest(LrCurve& curve, double value);

}  // namespace nn
