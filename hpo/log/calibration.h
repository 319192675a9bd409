#pragma once
// The calibration of a study's network of classes, and what it comes to on unseen rows.

#include <optional>
#include <string>
#include <string_view>

#include "hpo/log/event.h"

namespace hpo {

/// Fact of a study whose network was calibrated: a Calibrated as a JSON object.
inline constexpr const char* kCalibrationFact = "calibration";

struct Calibrated {
  double temperature = 1;  ///< that logits are divided by
  double threshold = 0.5;  ///< least probability of the class below
  std::string of_class;    ///< the second of two classes; empty: there are more
  /// Of the test part, as nn::calibration_figures() names them; none without such a part.
  Metrics metrics{};
  bool operator==(const Calibrated&) const = default;
};

/// Writes {"temperature", "threshold", "class", "metrics": {NAME: VALUE}}; no class is null.
[[nodiscard]] std::string json_of(const Calibrated& calibrated);
/// The same, or "null".
[[nodiscard]] std::string calibrated_json(const std::optional<Calibrated>& calibrated);
/// Reads the object back. Throws base::Error (storage) for anything else.
[[nodiscard]] Calibrated calibrated_from_json(std::string_view text);

}  // namespace hpo
