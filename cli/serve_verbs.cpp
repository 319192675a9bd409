#include <array>

#include "cli/verbs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

std::span<const Verb> serve_verbs() {
  static constexpr std::array kVerbs{Verb{"serve", declare_serve, run_serve}};
  return kVerbs;
}

}  // namespace cli
