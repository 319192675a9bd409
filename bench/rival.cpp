#include "bench/rival.h"

#include <algorithm>
#include <string>

#include "bench/measure.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace bench {

std::vector<Rival> chosen_rivals(std::span<const Rival> all, std::string_view list) {
  if (list.empty()) return {all.begin(), all.end()};
  std::vector<std::string> known;
  for (const Rival& rival : all) known.emplace_back(rival.word);
  std::vector<Rival> chosen;
  for (const std::string& word : words_of(list)) {
    const auto at = std::ranges::find(known, word);
    if (at == known.end())
      throw rt::Error(rt::Errc::usage, rt::cat("--against: there is no rival ", rt::printable(word),
                                               rt::did_you_mean(word, known)));
    chosen.push_back(all[static_cast<std::size_t>(at - known.begin())]);
  }
  return chosen;
}

}  // namespace bench
