// Other ways of doing the same work, each a word that a program in bench/rivals takes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace bench {

struct Rival {
  const char* word;
  const char* title;
  bool slow = false;  ///< minutes a round: played once
};

/// Those whose words are in the list, commas between; all where it is empty. Throws rt::Error
/// (usage) with the nearest word.
[[nodiscard]] std::vector<Rival> chosen_rivals(std::span<const Rival> all, std::string_view list);

}  // namespace bench
