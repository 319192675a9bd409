#pragma once
// Numbers in the cells of tables.

#include <cmath>
#include <string>

#include "base/text.h"

namespace hpo {

/// Empty for what was not measured.
inline std::string measured_text(double value) {
  return std::isnan(value) ? "" : base::format_double(value);
}

}  // namespace hpo
