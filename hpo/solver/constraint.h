#pragma once
// When a parameter of a problem exists: the scripts of kurobako's problems that are comparisons,
// `return a == "x" or b == 3`, without an interpreter for Lua.

#include <string_view>
#include <vector>

#include "hpo/space/parameter.h"
#include "hpo/space/params.h"

namespace hpo {

/// Alternatives, each a list of comparisons that all have to hold. No alternative: never.
struct Constraint {
  std::vector<std::vector<Condition>> alternatives;

  /// A parameter that `params` lacks equals nothing, as in Lua.
  [[nodiscard]] bool holds(const Params& params) const;
};

/// Reads `return` and comparisons (`name == "text"`, `name == 3`, either way round) joined by `and`
/// and `or`, with parentheses. Throws base::Error (usage), which quotes the script, for every other
/// one.
[[nodiscard]] Constraint read_constraint(std::string_view script);

}  // namespace hpo
