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
inline Chosen plain_rule(const base::KindInfo& kind, const Params& required) {
  return {.kind = kind.kind, .options = options_of(kind, required)};
}

inline std::vector<Variant> rule_variants(const Params& required) {
  std::vector<Variant> variants;
  std::vector<Chosen> simple;
  for (const base::KindInfo& kind : stopping_kinds()) {
    const Chosen plain = plain_rule(kind, required);
    if (find_stopping_kind(kind.kind)->combines) {
      for (const Chosen& one : simple)
        variants.push_back(
            {kind.kind + "_" + one.kind, {.kind = kind.kind, .of = {one, simple.front()}}});
      continue;
    }
    variants.push_back({kind.kind, plain});
    if (!make_stopping_rule(plain.kind, {.max_step = 9, .options = plain.options})->pauses())
      simple.push_back(plain);
    for (const base::FieldInfo& option : kind.fields) {
      if (option.type != base::FieldType::boolean) continue;
      Variant turned{kind.kind + "_" + option.name, plain};
      turned.rule.options.set(option.name, !std::get<bool>(*plain.options.find(option.name)));
      variants.push_back(std::move(turned));
    }
  }
  return variants;
}

}  // namespace hpo
