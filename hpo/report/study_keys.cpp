#include "hpo/report/study_keys.h"

#include <algorithm>

#include "base/text.h"

namespace hpo::report {

namespace {

/// A key of a block and the blanks before it.
struct OpenKey {
  std::size_t indent;
  std::string key;
};

std::string path_of(const std::vector<OpenKey>& open) {
  std::string path;
  for (const OpenKey& one : open) path += base::cat(path.empty() ? "" : ".", one.key);
  return path;
}

/// Where "key: value" or "key:" ends its key; nothing in other lines.
std::size_t colon_of(std::string_view line) {
  const bool quoted = line.starts_with('"');
  std::size_t from = 0;
  if (quoted) {
    from = line.find('"', 1);
    while (from != std::string_view::npos && line[from - 1] == '\\')
      from = line.find('"', from + 1);
    if (from == std::string_view::npos) return from;
  }
  for (std::size_t at = line.find(':', from); at != std::string_view::npos;
       at = line.find(':', at + 1))
    if (at + 1 == line.size() || line[at + 1] == ' ') return at;
  return std::string_view::npos;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> study_keys(std::string_view resolved) {
  std::vector<std::pair<std::string, std::string>> keys;
  std::vector<OpenKey> open;
  std::size_t items = 0;
  while (!resolved.empty()) {
    const std::size_t end = std::min(resolved.find('\n'), resolved.size());
    std::string_view line = resolved.substr(0, end);
    resolved.remove_prefix(std::min(end + 1, resolved.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    if (line.empty() || line.starts_with('#')) continue;
    while (!open.empty() && open.back().indent >= indent && !line.starts_with("- "))
      open.pop_back();
    if (line.starts_with("- ")) {
      keys.emplace_back(base::cat(path_of(open), "[", items++, "]"), line.substr(2));
      continue;
    }
    items = 0;
    const std::size_t colon = colon_of(line);
    if (colon == std::string_view::npos) continue;
    open.push_back({indent, std::string(line.substr(0, colon))});
    if (colon + 2 < line.size()) {
      keys.emplace_back(path_of(open), line.substr(colon + 2));
      open.pop_back();
    }
  }
  return keys;
}

std::vector<DifferentKey> different_keys(const std::vector<std::string_view>& files) {
  std::vector<DifferentKey> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (auto& [key, value] : study_keys(files[i])) {
      auto found = std::ranges::find(all, key, &DifferentKey::key);
      if (found == all.end()) {
        all.push_back({key, std::vector<std::string>(files.size())});
        found = all.end() - 1;
      }
      found->values[i] = std::move(value);
    }
  }
  std::erase_if(all, [](const DifferentKey& one) {
    const bool equal = std::ranges::all_of(
        one.values, [&](const std::string& value) { return value == one.values.front(); });
    return equal || one.key == "name";
  });
  return all;
}

}  // namespace hpo::report
