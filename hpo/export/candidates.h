#pragma once
// What adapting networks tried, as tables and as a picture: a row for every candidate, and the
// front of accuracy against cost.
//
// The shapes are a contract like those of export.h. Numbers as there; what was not measured is
// empty.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hpo/log/event.h"
#include "hpo/log/study_reader.h"

namespace hpo {

/// One candidate of one round of one trial.
struct CandidateRow {
  std::uint64_t trial = 0;
  double epoch = 0;   ///< at which the round began
  double epochs = 0;  ///< that it trained for the round
  double spent = 0;   ///< FLOPs of all rounds of the trial up to and with this candidate
  Tried tried;
};

/// The rows of a trial's rounds, appended to `rows`.
void append_candidates(std::vector<CandidateRow>& rows, std::uint64_t trial,
                       std::span<const Adapted> rounds);

/// The rows of all trials in trial order, from the log.
[[nodiscard]] std::vector<CandidateRow> candidates_of(const StudyReader& study);

/// One line a candidate: trial, epoch, epochs, change, shape, weights, inference_flops, flops,
/// train_loss, loss, accuracy, cost, accepted, why, operations.
[[nodiscard]] std::string candidates_csv(std::span<const CandidateRow> rows);

/// The candidates that were measured and that none of the others beats or equals in both quality
/// (accuracy, where there is one, else the loss) and FLOPs of one row, from cheap to dear. Of
/// equals the first.
[[nodiscard]] std::vector<CandidateRow> front_of(std::span<const CandidateRow> rows);

/// The front as lines of: trial, epoch, shape, weights, inference_flops, accuracy, loss.
[[nodiscard]] std::string front_csv(std::span<const CandidateRow> rows);

/// All measured candidates as points, FLOPs of one row (log) against accuracy (or loss), the front
/// as a line. A whole SVG file without anything from elsewhere; empty when nothing was measured.
[[nodiscard]] std::string front_svg(std::span<const CandidateRow> rows);

}  // namespace hpo
