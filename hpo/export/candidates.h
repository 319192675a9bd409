#pragma once
// What adapting networks tried, as a table: a row for every candidate.
//
// The shape is a contract like those of export.h. Numbers as there; what was not measured is empty.

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
  std::int64_t fold = 0;  ///< from 1 on; 0: the trial has one network
  double epoch = 0;       ///< at which the round began
  double epochs = 0;      ///< that it trained for the round
  double spent = 0;       ///< FLOPs of all rounds of the trial up to and with this candidate
  Tried tried;
};

/// The rows of a trial's rounds, appended to `rows`.
void append_candidates(std::vector<CandidateRow>& rows, std::uint64_t trial,
                       std::span<const Adapted> rounds);

/// The rows of all trials in trial order, from the log.
[[nodiscard]] std::vector<CandidateRow> candidates_of(const StudyReader& study);

/// One line a candidate: trial, epoch, epochs, change, shape, weights, inference_flops, flops,
/// train_loss, loss, accuracy, cost, accepted, why, operations; with folds `fold` behind them.
[[nodiscard]] std::string candidates_csv(std::span<const CandidateRow> rows);

}  // namespace hpo
