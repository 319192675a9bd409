#pragma once
// What the simplest predictors reach on a study's data, as the log keeps it for read verbs.

#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/trial_row.h"

namespace hpo {

/// One predictor, e.g. "majority class", and what it reaches: metrics as trials report them, and
/// those of the test part.
struct BaselineRow {
  std::string name;
  Metrics metrics;
  bool operator==(const BaselineRow&) const = default;
};

/// Key of the fact that holds them (EventLog::note).
inline constexpr const char* kBaselinesFact = "baselines";

/// A JSON list of {"name", "metrics"}, and back. Throws base::Error (storage) for anything else.
[[nodiscard]] std::string json_of(const std::vector<BaselineRow>& rows);
[[nodiscard]] std::vector<BaselineRow> baselines_from_json(std::string_view text);

}  // namespace hpo
