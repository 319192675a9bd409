#include "hpo/import/imported.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "hpo/import/optuna_domain.h"

namespace hpo {

StudySpec study_made(const std::string& yaml, const std::string& file, const std::string& called) {
  try {
    return parse_study(yaml, called, std::filesystem::current_path().string());
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
