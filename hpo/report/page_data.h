#pragma once
// What the page's script draws from.

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::report {

/// The data elements of a page of one study: names and small tables as JSON, columns of trials, and
/// columns of their curves, which are read later.
[[nodiscard]] std::string data_of(const Gathered& study);

/// The moment from which the page counts time, in microseconds since 1970.
[[nodiscard]] std::int64_t origin_of(const Gathered& study);

/// The same of a page that compares several.
[[nodiscard]] std::string comparison_data(const std::vector<Gathered>& studies);

}  // namespace hpo::report
