// Every stopping rule of the registry with its default options, and once more for each of its
// switches turned round.
#pragma once

#include <string>
#include <vector>

#include "hpo/stopping/registry.h"

namespace hpo {

struct Variant {
  std::string name;  ///< for test names
  std::string kind;
  Params options;
};

/// `required`: for options that have no default.
inline std::vector<Variant> rule_variants(const Params& required) {
  std::vector<Variant> variants;
  for (const KindInfo& kind : stopping_kinds()) {
    Variant plain{.name = kind.name, .kind = kind.name, .options = {}};
    for (const Option& option : kind.options)
      plain.options.set(option.name,
                        option.default_value ? *option.default_value : *required.find(option.name));
    variants.push_back(plain);
    for (const Option& option : kind.options) {
      if (option.type != OptionType::boolean) continue;
      Variant turned = plain;
      turned.name += "_" + option.name;
      turned.options.set(option.name, !std::get<bool>(*plain.options.find(option.name)));
      variants.push_back(std::move(turned));
    }
  }
  return variants;
}

}  // namespace hpo
