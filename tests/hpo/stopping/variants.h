// Every stopping rule of the registry with its default options, once more for each of its switches
// turned round, and each combination of the first rule with every other one that pauses nobody.
#pragma once

#include <string>
#include <vector>

#include "hpo/stopping/registry.h"

namespace hpo {

struct Variant {
  std::string name;  ///< for test names
  Chosen rule;
};

/// `required`: for options that have no default.
inline Chosen plain_rule(const KindInfo& kind, const Params& required) {
  Chosen rule{.kind = kind.name, .options = {}};
  for (const Option& option : kind.options)
    rule.options.set(option.name,
                     option.default_value ? *option.default_value : *required.find(option.name));
  return rule;
}

inline std::vector<Variant> rule_variants(const Params& required) {
  std::vector<Variant> variants;
  std::vector<Chosen> simple;
  for (const KindInfo& kind : stopping_kinds()) {
    const Chosen plain = plain_rule(kind, required);
    if (kind.combines) {
      for (const Chosen& one : simple)
        variants.push_back(
            {kind.name + "_" + one.kind, {.kind = kind.name, .of = {one, simple.front()}}});
      continue;
    }
    variants.push_back({kind.name, plain});
    if (!make_stopping_rule(plain.kind, {.max_step = 9, .options = plain.options})->pauses())
      simple.push_back(plain);
    for (const Option& option : kind.options) {
      if (option.type != OptionType::boolean) continue;
      Variant turned{kind.name + "_" + option.name, plain};
      turned.rule.options.set(option.name, !std::get<bool>(*plain.options.find(option.name)));
      variants.push_back(std::move(turned));
    }
  }
  return variants;
}

}  // namespace hpo
