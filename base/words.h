// Lists of words and counts of things in messages. Thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"

namespace base {

/// "1 row", "2 rows".
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

/// "10,000,000".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "a, b, c": what `text` makes of each item, such as a member or a function of it.
template <class Items, class Text = std::identity>
[[nodiscard]] std::string listed(const Items& items, Text text = {}) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += cat(std::invoke(text, item));
  }
  return out;
}

/// "a, b or c".
[[nodiscard]] std::string either(std::span<const std::string> words);

/// ", expected one of lr, width and 4 more; did you mean 'lr'?": the first dozen of the known
/// words, and the nearest of all; ", expected none" where nothing is known. To be put behind what
/// was wrong.
[[nodiscard]] std::string expected_one_of(std::span<const std::string> known,
                                          std::string_view word);

}  // namespace base
