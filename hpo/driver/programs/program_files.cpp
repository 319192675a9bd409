#include "hpo/driver/programs/program_files.h"

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "runtime/key.h"

namespace hpo {

namespace {

constexpr std::uint64_t kMostBytes = 64'000'000;
constexpr std::size_t kHashDigits = 12;

/// Hashes by word.
std::map<std::string, std::string> by_word(std::string_view text) {
  std::map<std::string, std::string> files;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t blank = line.find(' ');
    if (blank != line.npos) files.emplace(line.substr(blank + 1), line.substr(0, blank));
  }
  return files;
}

}  // namespace

std::string program_files(const TrialCommand& command) {
  std::string out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    const bool from_path = i == 0 && word.find('/') == std::string::npos;
    if (from_path || word.find('\n') != std::string::npos || !seen.insert(word).second) continue;
    const base::Path file = base::Path(command.folder) / word;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    try {
      const std::string bytes = base::read_file(file, kMostBytes);
      out += base::cat(base::Hasher().add(bytes).finish().hex().substr(0, kHashDigits), " ", word,
                       "\n");
    } catch (const base::Error&) {
      continue;  // too large, or not ours to read: the program says so if that matters
    }
  }
  return out;
}

std::vector<Changed> changed_files(std::string_view before, std::string_view now) {
  std::vector<Changed> changes;
  const std::map<std::string, std::string> earlier = by_word(before);
  for (const auto& [word, hash] : by_word(now)) {
    const auto found = earlier.find(word);
    if (found == earlier.end() || found->second == hash) continue;
    changes.push_back({.key = base::cat("the content of ", base::printable(word)),
                       .from = found->second,
                       .to = hash});
  }
  return changes;
}

}  // namespace hpo
