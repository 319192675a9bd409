#pragma once
// Accuracy against cost of everything that adapting networks tried: the candidates of races, and
// the networks themselves wherever their trials reported.
//
// The shapes are a contract like those of export.h. Numbers as there; what was not measured is
// empty.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hpo/log/event.h"

namespace hpo {

/// A network whose quality was measured. Candidates are scored on the validation rows that their
/// race compares on, reports on all of them.
struct FrontPoint {
  std::uint64_t trial = 0;
  double epoch = 0;   ///< up to which it was trained
  std::string shape;  ///< sizes of its layers
  std::uint64_t weights = 0;
  double inference_flops = 0;  ///< counted, one row forward
  double accuracy = 0;         ///< NaN for numbers
  double loss = 0;
  bool went_on = true;  ///< whether it is the trial's network and not one that lost a race
  std::string what;     ///< for people: "widen fc1 by 16", or "report"

  /// Higher is better: the accuracy, where there is one, else the loss turned round.
  [[nodiscard]] double quality() const;
};

/// What a trial measured, appended to `points`: its rounds' candidates, then its reports.
void append_points(std::vector<FrontPoint>& points, std::uint64_t trial,
                   std::span<const Adapted> rounds, std::span<const Reported> reports);

/// The points that none of the others beats or equals in both quality and FLOPs of one row, from
/// cheap to dear. Of equals the first.
[[nodiscard]] std::vector<FrontPoint> front_of(std::span<const FrontPoint> points);

/// The front as lines of: trial, epoch, shape, weights, inference_flops, accuracy, loss.
[[nodiscard]] std::string front_csv(std::span<const FrontPoint> points);

/// All points, FLOPs of one row (log) against accuracy (or loss), the front as a line. A whole SVG
/// file without anything from elsewhere; empty without points.
[[nodiscard]] std::string front_svg(std::span<const FrontPoint> points);

}  // namespace hpo
