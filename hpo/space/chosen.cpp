#include "hpo/space/chosen.h"

#include <type_traits>
#include <variant>

#include "base/error.h"
#include "base/text.h"

namespace hpo {

namespace {

ParamValue default_of(const base::FieldInfo& option) {
  if (!option.value)
    throw base::Error(base::Errc::internal, base::cat("the option ", option.name, " is missing"));
  return std::visit(
      [](const auto& plain) -> ParamValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(plain)>, base::NumberByName>)
          throw base::Error(base::Errc::internal, "an option is a map");
        else
          return plain;
      },
      *option.value);
}

}  // namespace

Params options_of(const base::KindInfo& kind, const Params& said) {
  Params options;
  for (const base::FieldInfo& option : kind.fields) {
    const ParamValue* value = said.find(option.name);
    options.set(option.name, value != nullptr ? *value : default_of(option));
  }
  return options;
}

}  // namespace hpo
