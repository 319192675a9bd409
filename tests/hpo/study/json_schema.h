#pragma once
// A validator for the part of JSON Schema draft-07 that the study file's schema uses.

#include <nlohmann/json.hpp>
#include <string>

#include "hpo/study/node.h"

namespace hpo {

/// Empty when `value` satisfies `schema`, else where and why not. A keyword that it does not know
/// is a failure too, so that the schema cannot outgrow its test.
[[nodiscard]] std::string schema_violation(const nlohmann::json& schema,
                                           const nlohmann::json& value);

/// What an editor sees of a YAML file: numbers and booleans by YAML 1.2.
[[nodiscard]] nlohmann::json json_of_node(const study::Node& node);

}  // namespace hpo
