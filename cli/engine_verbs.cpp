#include <array>

#include "cli/verbs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

std::span<const Verb> engine_verbs() {
  static constexpr std::array kVerbs{
      Verb{"sweep", declare_sweep, run_sweep_verb},
      Verb{"train", declare_train, run_train},
      Verb{"predict", declare_predict, run_predict},
      Verb{"schema", declare_schema, run_schema},
      Verb{"check", declare_check, run_check},
      Verb{"plan", declare_plan, run_plan},
      Verb{"simulate", declare_simulate, run_simulate},
      Verb{"export", declare_export, run_export_model},
      Verb{"doctor", declare_doctor, run_doctor},
      Verb{"show", declare_show, run_show},
      Verb{"importance", declare_importance, run_importance},
      Verb{"report", declare_report, run_report},
      Verb{"rerun", declare_rerun, run_rerun},
      Verb{"keep", declare_keep, run_keep},
      Verb{"import", declare_import, run_import},
      Verb{"agent", declare_agent, run_agent},
      Verb{"ticket", declare_ticket, run_ticket},
      Verb{"member", declare_member, run_member},
  };
  return kVerbs;
}

}  // namespace cli
