#pragma once
// A learning rate over a training, as a curve of pieces. Every schedule becomes a curve
// (nn/schedules/), and a segment of training carries the part that holds there. So two schedules
// that agree on a segment are the same work on it, whatever they do elsewhere.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nn {

/// The shape of a piece from `first` to `last`.
enum class LrShape : std::uint8_t {
  constant,  ///< `first` throughout
  linear,
  cosine,  ///< along half a wave of the cosine: flat at both ends
};

/// A rate from one moment to another, in epochs since the network's birth. Encodable.
struct LrPiece {
  double begin = 0;
  double end = 0;  ///< the piece holds in [begin, end); infinite for a constant that never ends
  double first = 0;
  double last = 0;  ///< the rate at `end`; equal to `first` in a constant piece
  LrShape shape = LrShape::constant;
  auto operator<=>(const LrPiece&) const = default;
};

/// Pieces in order, the first from 0, each beginning where the one before ends, the last a constant
/// that never ends.
using LrCurve = std::vector<LrPiece>;

/// Returns the rate at a moment in epochs. Throws base::Error (internal) if no piece holds there.
[[nodiscard]] double lr_at(const LrCurve& curve, double epoch);

/// Returns the pieces that hold somewhere in [from, to), in a form that depends on nothing else:
/// constant pieces are cut at these boundaries and equal neighbours are joined. Other pieces stay
/// whole, because their values need both ends.
[[nodiscard]] LrCurve part_of(const LrCurve& curve, double from, double to);

/// Returns a curve of constant values, each from its epoch to the epoch of the next value, and the
/// last without end. Throws SpecError (field `lr`) unless there are points, the first at epoch 0,
/// epochs ascend and values are finite and above 0.
[[nodiscard]] LrCurve piecewise_curve(std::span<const std::pair<std::int64_t, double>> points);

/// Appends a piece that begins at the end of the last one, the first at 0. Leaves out a piece of no
/// length.
void append(LrCurve& curve, LrShape shape, double end, double first, double last);

/// Appends the constant that never ends.
void append_rest(LrCurve& curve, double value);

}  // namespace nn
