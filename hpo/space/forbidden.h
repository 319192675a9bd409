#pragma once
// Combinations of values that no trial may have.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/space/params.h"

namespace hpo {

/// Something that is true of a trial's values or not. Never of a parameter that is inactive.
struct Clause {
  enum class Is : std::uint8_t {
    equal,  ///< one of `values`, or the value of `other`
    above,  ///< a number above values[0], or above the number that `other` has
    below,
  };
  std::string parameter;
  Is is = Is::equal;
  std::vector<ParamValue> values;
  std::string other = {};  ///< the parameter it is compared with; empty: `values`
  bool operator==(const Clause&) const = default;
};

/// A combination: all clauses at once.
struct Forbidden {
  std::vector<Clause> clauses;
  bool operator==(const Forbidden&) const = default;
};

/// Whether the values have the combination.
[[nodiscard]] bool holds(const Forbidden& combination, const Params& params);

/// As a person says it: `optimizer is sgd and lr is above 0.1`.
[[nodiscard]] std::string text_of(const Forbidden& combination);

}  // namespace hpo
