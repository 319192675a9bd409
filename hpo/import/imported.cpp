#include "hpo/import/imported.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/import/optuna_domain.h"

namespace hpo {

void ImportNotes::put(std::string line) {
  line = base::printable(line, 300);
  if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(std::move(line));
}

void ImportNotes::leave(const std::string& what) { put("not carried over: " + what); }

void ImportNotes::carry(const std::string& what_here, const std::string& what,
                        const std::string& why) {
  put(base::cat(what, " became ", what_here, why.empty() ? "" : "; ", why));
}

void ImportNotes::rename(const std::string& name_here, const std::string& name) {
  put(base::cat("renamed ", name, " to ", name_here));
}

void ImportNotes::add(const ImportNotes& others) {
  for (const std::string& line : others.lines_) put(line);
}

std::string ImportNotes::comments() const {
  std::string text;
  for (const std::string& line : lines_) text += base::cat("# ", line, "\n");
  return text;
}

StudySpec study_made(const std::string& yaml, const std::string& file, const std::string& called,
                     const std::string& folder) {
  const std::string here = std::filesystem::current_path().string();
  try {
    return parse_study(yaml, called, folder.empty() ? here : folder);
  } catch (const base::Error& error) {
    // The place is one in a file that nobody has.
    std::string_view what = error.what();
    const std::string place = base::printable(called);
    if (what.starts_with(place)) {
      const std::size_t space = what.find(": ", place.size());
      what.remove_prefix(space == what.npos ? 0 : space + 2);
    }
    throw base::Error(base::Errc::study, base::cat(base::printable(file, 4096),
                                                   ":1:1: cannot be carried over: ", what));
  }
}

std::string with_name(const std::string& yaml, const std::string& name) {
  std::size_t at = 0;
  while (at < yaml.size() && yaml[at] == '#')
    at = std::min(yaml.find('\n', at), yaml.size() - 1) + 1;
  return base::cat(yaml.substr(0, at), "name: ", OptunaDomain::yaml_of(name), "\n",
                   yaml.substr(at));
}

}  // namespace hpo
