#pragma once
// Options that rules share, and reading them out of a set-up.

#include <cstdint>
#include <limits>
#include <string_view>

#include "hpo/space/chosen.h"
#include "hpo/stopping/rule.h"

namespace hpo {

/// Defaults that rules share: the first step that counts, one in how many goes on from rung to
/// rung, and the loss of a trial without a usable one.
inline constexpr std::int64_t kDefaultMin = 1, kDefaultEta = 3;
inline constexpr double kWorstLoss = std::numeric_limits<double>::infinity();

/// The options of rules with rungs.
[[nodiscard]] inline base::FieldInfo first_rung_option(std::int64_t otherwise) {
  return base::integer_field("min", otherwise, 1, "epochs",
                             "First rung, in `unit`. Every trial reaches it.");
}
[[nodiscard]] inline base::FieldInfo eta_option(std::int64_t otherwise) {
  return base::integer_field(
      "eta", otherwise, 2, "",
      "Reduction factor. One in `eta` trials continues from each rung, and each rung is at `eta` "
      "times the step of the previous rung.");
}
[[nodiscard]] inline base::FieldInfo promote_option() {
  return base::boolean_field(
      "promote", false,
      "Pause trials at rungs instead of stopping them. A paused trial continues, from its network "
      "or its checkpoints, once it is among the best 1/eta. It is also compared with later "
      "trials.");
}

/// The option called `name`, which the study file's check put there; `otherwise` where a caller
/// left it out.
[[nodiscard]] inline std::int64_t int_option(const RuleSetup& setup, std::string_view name,
                                             std::int64_t otherwise) {
  const ParamValue* value = setup.options.find(name);
  return value ? std::get<std::int64_t>(*value) : otherwise;
}

/// The same for a number.
[[nodiscard]] inline double number_option(const RuleSetup& setup, std::string_view name,
                                          double otherwise) {
  const ParamValue* value = setup.options.find(name);
  return value ? number_of(*value).value_or(otherwise) : otherwise;
}

/// The same for true and false; false where a caller left it out.
[[nodiscard]] inline bool flag_option(const RuleSetup& setup, std::string_view name) {
  const ParamValue* value = setup.options.find(name);
  return value != nullptr && std::get<bool>(*value);
}

}  // namespace hpo
