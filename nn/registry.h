#pragma once
// What the three registries (layers, losses, optimizers) share: looking a kind up by its word.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "nn/error.h"
#include "nn/fields.h"

namespace nn {

/// The entry whose info().kind is `kind`; throws SpecError "unknown <what> <kind>; ..." with the
/// nearest known word.
template <class Entry>
[[nodiscard]] const Entry& find_kind(std::span<const Entry* const> entries, std::string_view kind,
                                     std::string_view what) {
  std::vector<std::string> known;
  std::string list;
  for (const Entry* entry : entries) {
    if (entry->info().kind == kind) return *entry;
    known.push_back(entry->info().kind);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string near = base::nearest(kind, known);
  throw SpecError(-1, "",
                  "unknown " + std::string(what) + " " + std::string(kind) + "; " +
                      (near.empty() ? "known: " + list : "did you mean " + near + "?"));
}

/// The table entries of all kinds, in the order of the registry.
template <class Entry>
[[nodiscard]] std::vector<KindInfo> kind_table(std::span<const Entry* const> entries) {
  std::vector<KindInfo> table;
  for (const Entry* entry : entries) table.push_back(entry->info());
  return table;
}

}  // namespace nn
