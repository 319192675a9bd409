#pragma once
// Reading a rule's options out of its set-up.

#include <cstdint>
#include <string_view>

#include "hpo/space/option.h"
#include "hpo/stopping/rule.h"

namespace hpo {

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
