#include "cli/arguments.h"
#include "cli/verbs/verb_functions.h"
#include "tasks/gang.h"

namespace cli {

void declare_member(Arguments& arguments) {
  arguments.positional("ADDRESS", "memory that the first process of the gang shares");
  arguments.positional("N", "which member this one is, from 1");
}

int run_member(const Arguments& arguments) {
  return tasks::be_member(arguments.text("ADDRESS"), arguments.text("N"));
}

}  // namespace cli
