#pragma once
// The best trial in words, as `best` and the end of a sweep show it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/log/study_reader.h"
#include "hpo/log/trial_front.h"

namespace cli {

/// The trial, its metrics and params, its network where that was written.
[[nodiscard]] std::string text_best(const hpo::StudyReader& study, const hpo::TrialRow& best);

/// "81 epochs"; of a program "3 steps".
[[nodiscard]] std::string text_length(bool program, std::int64_t steps);

/// ", hypervolume 35"; empty where it is not measured.
[[nodiscard]] std::string hypervolume_text(const hpo::TrialFront& front);

/// The front of a study with several metrics: a line each. Empty where there is one metric.
[[nodiscard]] std::string text_front(const hpo::StudyReader& study);

/// What the simplest predictors reach by `metric`, on the validation and the test part: a line
/// each, after a line that says what they are. Empty where there are none.
[[nodiscard]] std::string text_baselines(const std::vector<hpo::BaselineRow>& rows,
                                         const std::string& metric);

/// The line of a calibration; empty if there is none.
[[nodiscard]] std::string text_calibration(const std::optional<hpo::Calibrated>& calibrated);

/// How trials that failed run again, by that command; empty if none did.
[[nodiscard]] std::string text_failed(std::int64_t failed, const std::string& command);

/// Returns the line of a judgement; empty if there is none.
[[nodiscard]] std::string text_verdict(const std::optional<hpo::Verdict>& verdict);

}  // namespace cli
