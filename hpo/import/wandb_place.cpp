#include "hpo/import/wandb_place.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "hpo/study/program.h"

namespace hpo {

ImportPlaces ImportPlaces::of(const std::string& file) {
  const base::Path here = std::filesystem::current_path();
  return {.sweep = std::filesystem::absolute(file).lexically_normal().parent_path(),
          .working = here,
          .study = here};
}

namespace wandb {

namespace {

bool is_there(const base::Path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// The nearest folder from `folder` up that holds a repository of git; empty: there is none.
base::Path repository_of(base::Path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_there(folder / ".git")) return folder;
    if (!folder.has_relative_path()) break;
  }
  return {};
}

/// What of a module lies in the folder in which Python starts.
bool has_module(const base::Path& folder, const std::string& module) {
  std::string path = module;
  std::ranges::replace(path, '.', '/');
  return is_there(folder / (path + ".py")) || is_there(folder / path / "__main__.py") ||
         is_there(folder / path / "__init__.py");
}

bool has_program(const base::Path& folder, const ProgramName& program) {
  return program.module ? has_module(folder, program.text) : is_there(folder / program.text);
}

/// Where a program is looked for, in this order.
std::vector<base::Path> folders_of(const ImportPlaces& places) {
  std::vector<base::Path> folders;
  for (const base::Path& folder :
       {places.sweep, places.working, repository_of(places.sweep), repository_of(places.working)}) {
    if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
      folders.push_back(folder);
  }
  return folders;
}

/// The end of a path of another machine that is a file here, the longest such; empty: none is, or
/// the path is right as it stands.
std::string end_here(std::string path, const std::vector<base::Path>& folders) {
  const auto here = [&](const base::Path& end) {
    return std::ranges::any_of(folders, [&](const base::Path& one) { return is_there(one / end); });
  };
  const bool windows = path.find('\\') != path.npos;
  if (here(path) || (!windows && !path.starts_with('/'))) return "";
  std::ranges::replace(path, '\\', '/');
  for (base::Path end = base::Path(path).lexically_normal().relative_path(); !end.empty();) {
    if (here(end)) return end.string();
    const base::Path first = *end.begin();
    end = end.lexically_relative(first);
    if (end == ".") break;
  }
  return "";
}

}  // namespace

void find_paths_here(study::Node& sweep, const ImportPlaces& places, ImportNotes& notes) {
  const std::vector<base::Path> folders = folders_of(places);
  const auto look = [&](study::Node& word) {
    if (!word.is_scalar() || word.text.find('$') != word.text.npos) return;
    const std::string end = end_here(word.text, folders);
    if (end.empty()) return;
    notes.carry(end, "the program " + base::printable(word.text, 80), "it is not here");
    word.text = end;
  };
  for (study::Entry& entry : sweep.entries) {
    if (entry.key == "program") look(entry.value);
    if (entry.key != "command") continue;
    for (study::Node& word : entry.value.items)
      if (word.text.ends_with(".py") || word.text.ends_with(".sh")) look(word);
  }
}

ProgramPlace place_of(const ProgramName& program, const ImportPlaces& places) {
  ProgramPlace place;
  const std::vector<base::Path> folders = folders_of(places);
  const auto take = [&](const base::Path& folder) {
    place.found = true;
    const base::Path relative = folder.lexically_relative(places.study);
    if (folder != places.study) place.folder = relative.empty() ? folder : relative;
  };
  for (const base::Path& folder : folders) {
    place.looked.push_back(folder.string());
    if (!has_program(folder, program)) continue;
    take(folder);
    return place;
  }
  const base::Path root = repository_of(places.sweep);
  if (root.empty() || base::Path(program.text).is_absolute()) return place;
  const auto below =
      study::folders_below(root, [&](const base::Path& one) { return has_program(one, program); });
  if (below.size() != 1) return place;
  take(below.front());
  place.only = true;
  return place;
}

}  // namespace wandb

}  // namespace hpo
