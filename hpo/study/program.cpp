#include "hpo/study/program.h"

#include "base/executable.h"
#include "base/text.h"
#include "hpo/study/hints.h"

namespace hpo::study {

std::string find_program(const Node& word, const std::string& folder, const std::string& key) {
  if (const auto path = base::find_executable(word.text, folder)) return *path;
  const bool is_path = word.text.find('/') != word.text.npos;
  const std::string near = is_path ? "" : base::nearest(word.text, base::names_in_path());
  throw StudyError(word.at, base::cat(key, ": there is no program ", base::printable(word.text, 80),
                                      " in ", is_path ? folder : "PATH",
                                      ", expected one that may be run", did_you_mean(near)));
}

}  // namespace hpo::study
