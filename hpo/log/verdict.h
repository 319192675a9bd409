#pragma once
// The judgement of a study's result on rows that the search never used.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hpo {

/// Fact of a study that was judged: a Verdict as a JSON object.
inline constexpr const char* kVerdictFact = "verdict";

struct Verdict {
  std::string text;  ///< the judgement for people, one line
  /// True if the network is better than the baseline beyond doubt: the interval lies above 0. None
  /// if there was nothing to judge on.
  std::optional<bool> beats;
  std::string baseline;  ///< the best one on the validation part; empty: none
  /// By how much the network is better in the unit of the metric, with the 95% interval.
  std::optional<double> difference, low, high;
  std::int64_t rows = 0;  ///< of the test part
  /// Complete trials within one standard error of the winner on the validation part; it is one.
  std::int64_t within_noise = 0;
  bool operator==(const Verdict&) const = default;
};

/// Writes the JSON object of the design's contract; an empty baseline is null.
[[nodiscard]] std::string json_of(const Verdict& verdict);
/// The same, or "null".
[[nodiscard]] std::string verdict_json(const std::optional<Verdict>& verdict);
/// Reads the object back. Throws base::Error (storage) for anything else.
[[nodiscard]] Verdict verdict_from_json(std::string_view text);

}  // namespace hpo
