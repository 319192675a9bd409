#include "hpo/import/wandb_script.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/ascii.h"
#include "base/error.h"

namespace hpo::wandb {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 20;

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// The key that begins at `at`: a name in quotes before a colon, or a plain one before a `=`, as in
/// dict(loss=1); empty: none does.
std::string key_at(std::string_view text, std::size_t at) {
  const bool quoted = text[at] == '"' || text[at] == '\'';
  const std::size_t begin = quoted ? at + 1 : at;
  const std::size_t end =
      quoted
          ? text.find_first_of("'\"\n{", begin)
          : static_cast<std::size_t>(
                std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(),
                                 [](char c) { return base::is_letter_or_digit(c) || c == '_'; }) -
                text.begin());
  if (end >= text.size() || end == begin || (quoted && text[end] != text[at])) return "";
  const std::size_t next = text.find_first_not_of(kBlanks, quoted ? end + 1 : end);
  if (next == text.npos || text[next] != (quoted ? ':' : '=')) return "";
  return std::string(text.substr(begin, end - begin));
}

/// The keys of the dictionary that begins at `at`, without those of dictionaries in it.
void add_keys(std::string_view text, std::size_t at, std::vector<std::string>& names) {
  int depth = 0;
  bool first = false;  // of an item
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (depth == 0) return;
    if (depth == 1 && (c == '{' || c == '(' || c == ',')) first = true;
    if (c == '{' || c == '(' || c == ',' || kBlanks.find(c) != kBlanks.npos) continue;
    const std::string name = first && depth == 1 ? key_at(text, at) : "";
    first = false;
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (c == '"' || c == '\'') at = std::min(text.find_first_of({&c, 1}, at + 1), text.size());
  }
}

/// What a script logs by literal names: wandb.log({"loss": loss}), the same of a run, or with
/// dict(loss=loss).
std::vector<std::string> logged_in(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kCall = ".log(";
  for (std::size_t at = text.find(kCall); at != text.npos; at = text.find(kCall, at + 1)) {
    const std::size_t first = text.find_first_not_of(kBlanks, at + kCall.size());
    const std::size_t line = text.rfind('\n', at) + 1;  // 0 at the first line
    const std::string_view before = text.substr(line, at - line);
    const bool comment = before.find('#') != before.npos;
    if (first == text.npos || comment) continue;
    constexpr std::string_view kDict = "dict(";
    if (text[first] == '{') add_keys(text, first, names);
    if (text.substr(first).starts_with(kDict)) add_keys(text, first + kDict.size() - 1, names);
  }
  return names;
}

}  // namespace

base::Path script_of(const ProgramName& program, const base::Path& folder) {
  if (!program.module) return folder / program.text;
  std::string path = program.text;
  std::ranges::replace(path, '.', '/');
  std::error_code error;
  for (const char* end : {".py", "/__main__.py"})
    if (base::Path file = folder / (path + end); std::filesystem::exists(file, error)) return file;
  return {};
}

ScriptUse use_in_text(std::string_view text) {
  static constexpr std::array<std::string_view, 2> kOurs{"TRELLIS_METRICS", "trellis"};
  static constexpr std::array<std::string_view, 2> kAgents{"wandb.agent(", "wandb.sweep("};
  return {.ours = has_any(text, kOurs), .agent = has_any(text, kAgents), .logged = logged_in(text)};
}

ScriptUse use_in(const base::Path& script) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(script, error);
  if (script.empty() || error || bytes > kLargest) return {};
  try {
    return use_in_text(base::read_file(script));
  } catch (const base::Error&) {
    return {};
  }
}

}  // namespace hpo::wandb
