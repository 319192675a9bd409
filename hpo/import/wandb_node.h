#pragma once
// Looking into the tree of a W&B sweep file. Throws study::StudyError with the place.

#include <string>
#include <string_view>

#include "hpo/study/node.h"

namespace hpo::wandb {

/// Beyond it no number of a study file's ranges lies.
inline constexpr double kMost = 9e15;

/// The scalar under `key`; empty: there is none.
[[nodiscard]] std::string text_at(const study::Node& map, std::string_view key);
/// A number, smaller than kMost.
[[nodiscard]] double number_at(const study::Node& map, const std::string& key);
/// The same, above 0.
[[nodiscard]] double positive_at(const study::Node& map, const std::string& key);

/// True for an unquoted true or false.
[[nodiscard]] bool is_bool(const study::Node& node);

/// A value as a study file writes it. What YAML calls null, and lists, are the texts that Python
/// makes of them, as its programs get them from W&B; so are bools, unless `keeps_bools`.
[[nodiscard]] std::string value_text(const study::Node& node, bool keeps_bools = false);

}  // namespace hpo::wandb
