#pragma once
// Which keys of a parameter in a W&B sweep file say nothing.

#include <string>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::wandb {

/// A line for people for each key of `parameter` that no sweep file has, and each that stands
/// beside another one which decides alone, such as `min` beside `values`.
[[nodiscard]] std::vector<std::string> idle_keys(const study::Node& parameter,
                                                 const std::string& name);

}  // namespace hpo::wandb
