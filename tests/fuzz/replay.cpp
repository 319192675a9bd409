// Feeds committed inputs to a target: `replay-NAME FILE-OR-FOLDER...`. Prints each input's name
// before it is read, so that the last one is the culprit; ends with status 1 where one took too
// long or too much memory.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/cost.h"

namespace {

std::vector<std::filesystem::path> inputs(int count, char** places) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    if (!std::filesystem::is_directory(places[i])) {
      files.emplace_back(places[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(places[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

double seconds_of(const std::string& input) {
  const double start = support::seconds_computed();
  fuzz::feed(input);
  return support::seconds_computed() - start;
}

}  // namespace

int main(int count, char** places) {
  const auto files = inputs(count, places);
  double slowest = 0;
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    slowest = std::max(slowest, seconds_of(base::read_file(file)));
    if (slowest >= support::kMostSeconds || support::peak_kilobytes() >= support::kMostKilobytes) {
      std::printf("too dear: %.2f s, %ld kB\n", slowest, support::peak_kilobytes());
      return 1;
    }
  }
  std::printf("%zu inputs, at most %.3f s and %ld kB\n", files.size(), slowest,
              support::peak_kilobytes());
  return files.empty() ? 1 : 0;
}
