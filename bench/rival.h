// Other ways of doing the same work, each a word that a program in bench/rivals takes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/process.h"

namespace bench {

struct Rival {
  const char* word;
  const char* title;
  bool slow = false;  ///< minutes a round: played once
};

/// Those whose words are in the list, commas between; all where it is empty. Throws base::Error
/// (usage) with the nearest word.
[[nodiscard]] std::vector<Rival> chosen_rivals(std::span<const Rival> all, std::string_view list);

/// Runs bench/rivals/`benchmark`.py with `words`. Its output is cut down to the JSON object at its
/// end. Where it fails, says on standard error that `title` is left out, and returns nothing.
[[nodiscard]] std::optional<Finished> run_rival_program(const std::string& python,
                                                        const char* benchmark, const char* title,
                                                        const std::vector<std::string>& words,
                                                        Watch watch = Watch::no);

}  // namespace bench
