#include "hpo/import/imported.h"

#include <filesystem>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

StudySpec study_made(const std::string& yaml, const std::string& file, const std::string& called) {
  try {
    return parse_study(yaml, called, std::filesystem::current_path().string());
  } catch (const rt::Error& error) {
    // The place is one in a file that nobody has.
    std::string_view what = error.what();
    const std::string place = rt::printable(called);
    if (what.starts_with(place)) {
      const std::size_t space = what.find(": ", place.size());
      what.remove_prefix(space == what.npos ? 0 : space + 2);
    }
    throw rt::Error(rt::Errc::study,
                    rt::cat(rt::printable(file, 4096), ":1:1: cannot be carried over: ", what));
  }
}

}  // namespace hpo
