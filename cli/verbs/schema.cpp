#include "cli/output_file.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/study/field_docs.h"

namespace cli {

void declare_schema(Arguments& arguments) {
  arguments.option("--output", "FILE", "write there instead of to the terminal");
}

int run_schema(const Arguments& arguments) {
  write_result(arguments, hpo::study_schema_json());
  return kDone;
}

}  // namespace cli
