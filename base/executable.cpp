#include "base/executable.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace base {

namespace {

namespace fs = std::filesystem;

/// An empty name stands for the folder that one is in.
std::vector<std::string> path_folders() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> folders;
  for (;;) {
    const std::size_t colon = rest.find(':');
    folders.emplace_back(rest.substr(0, colon));
    if (colon == rest.npos) return folders;
    rest.remove_prefix(colon + 1);
  }
}

bool may_run(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

Path this_program() { return fs::read_symlink("/proc/self/exe"); }

Path beside_this_program(std::string_view name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

std::vector<Path> folders_of_parts(std::string_view made_in) {
  std::vector<Path> found;
  if (const char* asked = std::getenv("TRELLIS_PLUGIN_DIR"); asked != nullptr && *asked != '\0')
    found.emplace_back(asked);
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&folders_of_parts), &library) != 0 &&
      library.dli_fname != nullptr) {
    const Path here = fs::absolute(library.dli_fname).parent_path();
    found.push_back(here);
    found.push_back(here / "trellis");
    found.push_back(here.parent_path() / made_in);
  }
  return found;
}

std::optional<std::string> find_executable(const std::string& word, const std::string& folder) {
  if (word.empty()) return {};
  std::vector<std::string> places{""};
  if (word.find('/') == word.npos) places = path_folders();
  for (const std::string& place : places) {
    const fs::path file = fs::path(folder) / place / word;
    if (may_run(file)) return file.string();
  }
  return {};
}

std::size_t longest_word() {
  constexpr std::size_t kPages = 32;  // MAX_ARG_STRLEN, the end of the word counted
  return kPages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) - 1;
}

std::vector<std::string> names_in_path() {
  std::vector<std::string> names;
  for (const std::string& place : path_folders()) {
    std::error_code error;
    for (fs::directory_iterator file(place, error), end; !error && file != end;
         file.increment(error)) {
      names.push_back(file->path().filename().string());
    }
  }
  return names;
}

}  // namespace base
