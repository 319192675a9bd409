#pragma once
// What the three registries (layers, losses, optimizers) share: looking a kind up by its word.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/error.h"
#include "nn/fields.h"

namespace nn {

/// "did you mean dense?", or, where no known word is near, "known: dense, conv2d".
[[nodiscard]] std::string near_or_known(std::string_view word, std::span<const std::string> known);

/// "unknown <what> <kind>; ..." with the nearest known word, or all of them.
[[nodiscard]] SpecError unknown_kind(std::string_view what, std::string_view kind,
                                     std::span<const std::string> known);

/// The entry whose info().kind is `kind`; throws unknown_kind() otherwise.
template <class Entry>
[[nodiscard]] const Entry& find_kind(std::span<const Entry* const> entries, std::string_view kind,
                                     std::string_view what) {
  std::vector<std::string> known;
  for (const Entry* entry : entries) {
    if (entry->info().kind == kind) return *entry;
    known.push_back(entry->info().kind);
  }
  throw unknown_kind(what, kind, known);
}

/// The table entries of all kinds, in the order of the registry.
template <class Entry>
[[nodiscard]] std::vector<KindInfo> kind_table(std::span<const Entry* const> entries) {
  std::vector<KindInfo> table;
  for (const Entry* entry : entries) table.push_back(entry->info());
  return table;
}

}  // namespace nn
