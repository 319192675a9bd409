#include <array>

#include "cli/verbs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

std::span<const Verb> read_verbs() {
  static constexpr std::array kVerbs{
      Verb{"status", declare_status, run_status},
      Verb{"trials", declare_trials, run_trials},
      Verb{"best", declare_best, run_best},
      Verb{"export", declare_export, run_export},
      Verb{"stop", declare_stop, run_stop},
      Verb{"ask", declare_ask, run_ask},
      Verb{"tell", declare_tell, run_tell},
      Verb{"solver", declare_solver, run_solver},
      Verb{"completion", declare_completion, run_completion},
  };
  return kVerbs;
}

}  // namespace cli
