#pragma once
// Calibration of a network that tells classes apart: probabilities that say how often it is right,
// and the probability from which a row of two classes belongs to the second one.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/evaluation/answers.h"
#include "nn/metrics/judged.h"

namespace nn {

/// Encodable.
struct Calibration {
  /// What logits are divided by: Guo et al., "On calibration of modern neural networks" (2017),
  /// equation 9.
  double temperature = 1;
  /// The least probability of the second of two classes with which a row is given it; 0.5 with
  /// more classes, which means nothing.
  double threshold = 0.5;
  auto operator<=>(const Calibration&) const = default;
};

/// A calibration as it is applied to logits, in floats. The factor comes first; the shift is added
/// to the first logit where a class is chosen, and nowhere else.
struct LogitChange {
  float factor = 1, shift = 0;
};
[[nodiscard]] LogitChange logit_change(const Calibration& calibration);

/// Logits beside what was right. Encodable.
struct LabelledAnswers {
  Answers answers;
  std::vector<std::int32_t> labels;  ///< [rows] classes
  std::vector<std::uint32_t> units;  ///< [rows] as in difference_of(); empty: each row is one
  auto operator<=>(const LabelledAnswers&) const = default;
};

/// Two networks' answers to different rows, taken for those of one. Either both have units or none.
[[nodiscard]] LabelledAnswers joined(const LabelledAnswers& first, const LabelledAnswers& second);

/// Fits a calibration to answers to rows that the network was not trained on.
///
/// - The temperature minimizes the mean negative log likelihood. Targets are smoothed by 1 / (rows
///   + 2) as in Platt, "Probabilistic outputs for support vector machines" (1999), section 2.2, so
///   that answers without a mistake have a finite one. It is 1 if the gain is within one standard
///   error.
/// - The threshold, of two classes, maximizes `metric`; for "loss" the accuracy, and for "auc" the
///   balanced accuracy. It is 0.5 unless the 95% interval of the gain lies above 0, where each half
///   of the rows gets the threshold that the other half asks for.
///
/// Both have four significant digits. A pure function of the arguments.
[[nodiscard]] Calibration calibrate(const LabelledAnswers& answered, std::string_view metric);

/// Returns the answers with logits from which probabilities follow, and those from which classes
/// follow.
[[nodiscard]] Judged with_temperature(Judged judged, const Calibration& calibration);
[[nodiscard]] Judged with_threshold(Judged judged, const Calibration& calibration);

/// The expected calibration error: the mean distance between the probability of the class that is
/// given and the share of rows where it is right, from 0 to 1. Rows are taken in bins of equal
/// size, as many (at most 100) as leave the shares ascending: Roelofs et al., "Mitigating bias in
/// calibration error estimation" (2022), section 4. NaN without rows, or if a logit is no number.
[[nodiscard]] double calibration_error(const Judged& judged);

/// Returns what a calibration comes to, by name: "calibration_error",
/// "calibrated.calibration_error" and, with another threshold than 0.5, each metric of the classes
/// given with it, as "calibrated.accuracy".
[[nodiscard]] std::vector<std::pair<std::string, double>> calibration_figures(
    const Judged& judged, const Calibration& calibration);

/// Writes and reads {"temperature": T, "threshold": P}. Reading throws base::Error (data) for
/// anything else.
[[nodiscard]] std::string calibration_json(const Calibration& calibration);
[[nodiscard]] Calibration calibration_from_json(std::string_view text);

}  // namespace nn
