#pragma once
// A line of the file in which a program reports.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/log/event.h"

namespace hpo {

/// A line of the metrics file: {"step": 3, "valid.accuracy": 0.91}. NaN and Infinity may stand
/// there as Python writes them.
struct ReportLine {
  std::optional<std::int64_t> step;
  Metrics metrics;
  std::vector<std::pair<std::string, std::string>> no_numbers;  ///< names, values as they stand
};

/// Throws base::Error (data) in one line for what is no JSON object, or has a step that is no
/// whole number of at least 0.
[[nodiscard]] ReportLine read_report_line(const std::string& line);

}  // namespace hpo
