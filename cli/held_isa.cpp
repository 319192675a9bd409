#include "cli/held_isa.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hpo/study/words.h"
#include "kernels/kernels.h"

namespace cli {

void declare_isa(Arguments& arguments) {
  arguments.option(kIsa, "SET",
                   "instruction set of the study, avx2 or avx512 (default: the study's)");
}

hpo::study::Isa isa_option(const Arguments& arguments) {
  if (!arguments.has(kIsa)) return hpo::study::Isa::any;
  const std::string word = arguments.text(kIsa);
  const auto isa = hpo::study::from_word<hpo::study::Isa>(word);
  if (!isa)
    throw base::Error(base::Errc::usage, base::cat(kIsa, ": '", base::printable(word, 60),
                                                   "', expected avx2 or avx512"));
  return *isa;
}

void hold_to_isa(hpo::study::Isa wanted) {
  const std::string_view isa = hpo::study::to_word(wanted);
  if (isa.empty()) return;
  if (const std::string lacking = kern::isa_lacks(isa); !lacking.empty())
    throw base::Error(base::Errc::no_device, base::cat("resources.isa: ", isa, ": ", lacking));
  if (kern::is_held_to(isa)) return;
  for (const kern::Variable& variable : kern::isa_variables(isa))
    ::setenv(variable.name, variable.value, 1);
  std::ifstream line("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv("/proc/self/exe", argv.data());
  throw base::Error(base::Errc::internal,
                    base::cat("the program cannot be started anew: ", base::errno_words(errno)));
}

}  // namespace cli
