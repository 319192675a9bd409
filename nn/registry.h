#pragma once
// What the registries of nn share: the entry behind a word, or the error that names the nearest
// one.

#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "nn/error.h"

namespace nn {

/// "did you mean dense?", or, where no known word is near, "known: dense, conv2d".
[[nodiscard]] std::string near_or_known(std::string_view word, std::span<const std::string> known);

/// "unknown <what> <kind>; ..." with the nearest known word, or all of them.
[[nodiscard]] SpecError unknown_kind(std::string_view what, std::string_view kind,
                                     std::span<const std::string> known);

/// The entry of that kind; throws unknown_kind() where there is none.
template <class Entry>
[[nodiscard]] const auto& entry_of(const base::Registry<Entry>& registry, std::string_view kind,
                                   std::string_view what) {
  if (const auto* entry = registry.find(kind)) return *entry;
  throw unknown_kind(what, kind, registry.kinds());
}

}  // namespace nn
