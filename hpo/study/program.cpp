#include "hpo/study/program.h"

#include "hpo/study/hints.h"
#include "runtime/base/executable.h"
#include "runtime/base/text.h"

namespace hpo::study {

std::string find_program(const Node& word, const std::string& folder, const std::string& key) {
  if (const auto path = rt::find_executable(word.text, folder)) return *path;
  const bool is_path = word.text.find('/') != word.text.npos;
  const std::string near = is_path ? "" : rt::nearest(word.text, rt::names_in_path());
  throw Fault(word.at, rt::cat(key, ": there is no program ", rt::printable(word.text, 80), " in ",
                               is_path ? folder : "PATH", ", expected one that may be run",
                               did_you_mean(near)));
}

}  // namespace hpo::study
