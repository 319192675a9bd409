#include "hpo/study/program.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/executable.h"
#include "base/text.h"
#include "hpo/study/hints.h"

namespace hpo::study {

namespace {

/// The name in PATH of a program that a path of another machine leads to, often an interpreter of
/// an environment; empty: there is none.
std::string name_here(const std::string& path, const std::string& folder) {
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  if (name.ends_with(".exe")) name.resize(name.size() - 4);
  for (const std::string& other : {name, name + "3"})
    if (base::find_executable(other, folder)) return other;
  return "";
}

/// Of shorter names, another one in PATH is near by chance.
std::string nearest_name(const std::string& word) {
  constexpr std::size_t kShortest = 4;
  return word.size() < kShortest ? "" : base::nearest(word, base::names_in_path());
}

}  // namespace

std::string find_program(const Node& word, const std::string& folder, const std::string& key) {
  if (const auto path = base::find_executable(word.text, folder)) return *path;
  const bool is_path = word.text.find_first_of("/\\") != word.text.npos;
  const std::string near = is_path ? name_here(word.text, folder) : nearest_name(word.text);
  throw StudyError(word.at, base::cat(key, ": there is no program ", base::printable(word.text, 80),
                                      " in ", is_path ? shown_folder(folder) : "PATH",
                                      ", expected an executable file", did_you_mean(near)));
}

std::string shown_folder(const std::string& folder) {
  const std::filesystem::path path(folder);
  return (path.has_filename() ? path : path.parent_path()).string();
}

namespace {

constexpr std::string_view kInterpreters[]{"sh",   "bash",    "dash", "ksh",   "zsh", "perl",
                                           "ruby", "Rscript", "node", "julia", "php", "lua"};
/// Options that take no value and leave the next word what it is.
constexpr std::string_view kPlainOptions[]{"-u", "-O", "-OO", "-B",  "-E",   "-I",
                                           "-s", "-S", "-q",  "-b",  "-v",   "-x",
                                           "-w", "-e", "-eu", "-ex", "-eux", "--vanilla"};

bool is_among(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_interpreter(const std::string& word) {
  const std::string name = std::filesystem::path(word).filename().string();
  return name.starts_with("python") || name.starts_with("pypy") || is_among(kInterpreters, name);
}

/// The script that an interpreter is given; null: none that can be told.
const Node* script_of(const Node& command) {
  auto word = command.items.begin();
  const auto end = command.items.end();
  const auto text = [&] { return word == end ? std::string() : word->text; };
  if (std::filesystem::path(text()).filename() == "env") {
    ++word;
    while (word != end && word->text.find('=') != std::string::npos) ++word;
  }
  if (word == end || !is_interpreter(word->text)) return nullptr;
  ++word;
  while (is_among(kPlainOptions, text())) ++word;
  const bool is_script = word != end && word->is_scalar() && !word->text.starts_with('-') &&
                         word->text.find('$') == std::string::npos && !word->text.empty();
  return is_script ? &*word : nullptr;
}

/// The repository around a folder; empty: there is none.
std::filesystem::path repository_around(std::filesystem::path folder) {
  std::error_code error;
  for (; folder.has_relative_path(); folder = folder.parent_path())
    if (std::filesystem::exists(folder / ".git", error)) return folder;
  return {};
}

/// The only folder of the repository in which a script would be found; empty: there is none.
std::string folder_beside_with(const std::filesystem::path& script,
                               const std::filesystem::path& folder) {
  const std::filesystem::path root = repository_around(folder);
  if (root.empty()) return "";
  const auto found = folders_below(root, [&](const std::filesystem::path& one) {
    std::error_code error;
    return std::filesystem::exists(one / script, error);
  });
  return found.size() == 1 ? found.front().lexically_relative(folder).string() : "";
}

/// The folder above, in which a script would be found; empty: there is none.
std::string folder_above_with(const std::filesystem::path& script,
                              const std::filesystem::path& folder) {
  std::error_code error;
  std::string up;
  for (std::filesystem::path above = folder; above.has_relative_path();) {
    above = above.parent_path();
    up += up.empty() ? ".." : "/..";
    if (std::filesystem::exists(above / script, error)) return up;
    if (std::filesystem::exists(above / ".git", error)) return "";
  }
  return "";
}

[[noreturn]] void refuse_script(const Node& script, const std::string& folder,
                                const std::string& near) {
  throw StudyError(script.at,
                   base::cat("command: there is no file ", base::printable(script.text, 80),
                             folder.empty() ? "" : " in " + shown_folder(folder),
                             ", expected the script of the program", did_you_mean(near)));
}

}  // namespace

void require_script(const Node& command, const std::string& folder) {
  const Node* script = script_of(command);
  if (script == nullptr) return;
  const std::filesystem::path named(script->text);
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::path(folder) / named, error) || error) return;
  // A shell looks for a name in PATH, too.
  if (base::find_executable(script->text, folder)) return;
  const bool absolute = named.is_absolute();
  std::string other_folder = absolute ? "" : folder_above_with(named, folder);
  if (other_folder.empty() && !absolute) other_folder = folder_beside_with(named, folder);
  std::vector<std::string> known;
  // A path of another machine often ends in a file that lies here.
  if (absolute && std::filesystem::exists(std::filesystem::path(folder) / named.filename(), error))
    return refuse_script(*script, "", named.filename().string());
  const auto beside = (std::filesystem::path(folder) / named).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(beside, error)) {
    const std::filesystem::path& other = entry.path();
    if (other.extension() == named.extension())
      known.push_back((named.parent_path() / other.filename()).string());
  }
  std::ranges::sort(known);
  refuse_script(*script, absolute ? "" : folder,
                other_folder.empty() ? base::nearest(script->text, known)
                                     : base::cat("folder: ", other_folder));
}

std::vector<std::filesystem::path> folders_below(
    const std::filesystem::path& root,
    const std::function<bool(const std::filesystem::path&)>& has) {
  constexpr int kDeepest = 4;
  constexpr std::size_t kMost = 20'000;  // entries: a moment on any disk
  constexpr std::string_view kOfPackages[]{"node_modules", "site-packages", "venv", "env",
                                           "__pycache__",  "runs",          "wandb"};
  std::vector<std::filesystem::path> found;
  std::error_code error;
  std::size_t seen = 0;
  for (std::filesystem::recursive_directory_iterator at(root, error), end; at != end && !error;
       at.increment(error)) {
    if (++seen > kMost) return {};
    if (!at->is_directory(error)) continue;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || is_among(kOfPackages, name)) {
      at.disable_recursion_pending();
      continue;
    }
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (!has(at->path())) continue;
    found.push_back(at->path());
    if (found.size() == 2) break;
  }
  return found;
}

}  // namespace hpo::study
