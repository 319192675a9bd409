#pragma once
// A rule's options: saying what there is, and reading them out of its set-up.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hpo/space/option.h"
#include "hpo/stopping/rule.h"

namespace hpo {

/// An option that is a whole number of at least `least`.
[[nodiscard]] inline Option whole_option(std::string name, std::int64_t otherwise, double least,
                                         std::string unit, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::integer,
          .default_value = otherwise,
          .min = least,
          .max = {},
          .words = {},
          .unit = std::move(unit),
          .doc = std::move(doc)};
}

/// An option that is true or false.
[[nodiscard]] inline Option bool_option(std::string name, bool otherwise, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::boolean,
          .default_value = otherwise,
          .min = {},
          .max = {},
          .words = {},
          .unit = "",
          .doc = std::move(doc)};
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
