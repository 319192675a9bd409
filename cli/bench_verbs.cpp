#include <array>

#include "cli/verbs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

std::span<const Verb> bench_verbs() {
  static constexpr std::array kVerbs{Verb{"bench", declare_bench, run_bench}};
  return kVerbs;
}

}  // namespace cli
