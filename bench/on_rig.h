// Benchmarks of several nodes: a script beside this folder's sources brings a rig up and runs one
// tool on it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Runs bench/`benchmark`.py with `words`, of which the first one is the tool, and returns the JSON
/// that it prints. Where the tool fails, says on standard error that it is left out, and returns
/// nothing. Throws base::Error (no_device) where this machine can have no nodes.
[[nodiscard]] std::optional<nlohmann::json> run_on_rig(const std::string& benchmark,
                                                       const std::vector<std::string>& words);

}  // namespace bench
