#pragma once
// The parameters of a study as columns.

#include <string>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::report {

/// The columns of all parameters, the most important first. `study` has trials, space and
/// objective.
[[nodiscard]] std::vector<ParameterColumn> parameter_columns(const Gathered& study,
                                                             const std::vector<std::string>& names);

}  // namespace hpo::report
