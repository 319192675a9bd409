#pragma once
// How sure the scores of a study's network on the test part are.

#include <string>
#include <string_view>
#include <vector>

namespace hpo {

/// Fact of a study that was judged: its ScoreIntervals as a JSON list.
inline constexpr const char* kIntervalsFact = "intervals";

/// Where a metric would lie on other rows like those of the test part: 95%.
struct ScoreInterval {
  std::string metric;  ///< "test.accuracy"
  double low = 0, high = 0;
  bool operator==(const ScoreInterval&) const = default;
};

/// A JSON list of {"metric", "low", "high"}, and back. Throws base::Error (storage) for anything
/// else.
[[nodiscard]] std::string json_of(const std::vector<ScoreInterval>& intervals);
[[nodiscard]] std::vector<ScoreInterval> intervals_from_json(std::string_view text);

}  // namespace hpo
