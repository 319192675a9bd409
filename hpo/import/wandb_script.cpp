#include "hpo/import/wandb_script.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"

namespace hpo::wandb {

namespace {

constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 20;

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
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
  return {.ours = has_any(text, kOurs), .agent = has_any(text, kAgents)};
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
