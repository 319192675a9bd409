#pragma once
// Where the best tenth of the trials lies along a parameter.

#include <cstddef>
#include <optional>
#include <string>

#include "hpo/report/gathered.h"

namespace hpo::report {

struct BestValues {
  std::size_t trials = 0;    ///< of the best tenth, with the parameter
  double low = 0, high = 0;  ///< numbers: what the middle four fifths of them have
  std::size_t word = 0;      ///< words: the most frequent one
  double share = 0;          ///< of the trials that have it
  /// Numbers: the shares of the trials in the lowest and the highest tenth of the range.
  double at_min = 0, at_max = 0;
};

/// Nothing where no trial of the best tenth has the parameter.
[[nodiscard]] std::optional<BestValues> best_values(const Gathered& study,
                                                    const ParameterColumn& column);

/// A number of the parameter, for people.
[[nodiscard]] std::string value_text(const ParameterColumn& column, double value);

/// Where in its range a value lies, from 0 to 1.
[[nodiscard]] double place_in_range(const ParameterColumn& column, double value);

}  // namespace hpo::report
