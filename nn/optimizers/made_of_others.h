#pragma once
// Optimizers that are made of one of the registry each, and have its word with an ending.

#include <algorithm>
#include <deque>
#include <string_view>

#include "nn/optimizers/optimizer.h"

namespace nn {

/// Returns `word` without the ending; empty if it does not end so.
[[nodiscard]] inline std::string_view without_ending(std::string_view word,
                                                     std::string_view ending) {
  if (!word.ends_with(ending)) return {};
  word.remove_suffix(ending.size());
  return word;
}

/// Returns the `Made` of an entry of the registry, which its own() is.
template <class Made>
[[nodiscard]] const Made& made_of(const Optimizer& entry) {
  static const std::deque<Made> kAll = [] {
    std::deque<Made> all;
    for (const Optimizer* each : optimizers()) all.emplace_back(*each);
    return all;
  }();
  return *std::ranges::find(kAll, &entry, [](const Made& made) { return &made.own(); });
}

}  // namespace nn
