#pragma once
// Numbers that a program prints instead of reporting them.

#include <optional>
#include <string>
#include <vector>

namespace hpo {

/// A number with its name, as it stands in a line of output.
struct PrintedMetric {
  std::string text;        ///< "acc=0.9"
  std::string expression;  ///< for metric.regex: "acc=(\\S+)"
};

/// The number in these lines that is most likely the metric: by its name, else by one that is a
/// part of it or has it as a part (in capitals, too, and of several words), else any; of these the
/// last one. A number that has the name of one of `params` is none. Nothing where there is none.
[[nodiscard]] std::optional<PrintedMetric> find_printed(
    const std::string& metric, const std::vector<std::string>& lines,
    const std::vector<std::string>& params = {});

}  // namespace hpo
