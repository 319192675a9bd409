#include "bench/rival.h"

#include <cstdio>
#include <string>

#include "base/text.h"
#include "bench/measure.h"

namespace bench {

std::vector<Rival> chosen_rivals(std::span<const Rival> all, std::string_view list) {
  std::vector<std::string> known;
  for (const Rival& rival : all) known.emplace_back(rival.word);
  std::vector<Rival> chosen;
  for (const std::size_t at : places_of(list, known, "--against: there is no rival "))
    chosen.push_back(all[at]);
  return chosen;
}

std::optional<Finished> run_rival_program(const std::string& python, const char* benchmark,
                                          const char* title, const std::vector<std::string>& words,
                                          Watch watch) {
  std::vector<std::string> command{python, "-B", base::cat(rivals_folder(), "/", benchmark, ".py")};
  command.insert(command.end(), words.begin(), words.end());
  Finished done = run_program(command, watch);
  if (done.exit_code != 0) {
    std::fprintf(stderr, "%s: %s ended with exit code %d, so it is left out\n", benchmark, title,
                 done.exit_code);
    return std::nullopt;
  }
  // The answer is a line of its own, and may have objects inside; libraries print what they like
  // before.
  const std::size_t line = done.output.rfind("\n{");
  if (line != std::string::npos) done.output.erase(0, line + 1);
  return done;
}

}  // namespace bench
