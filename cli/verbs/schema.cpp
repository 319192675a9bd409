#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/study/field_docs.h"

namespace cli {

void declare_schema(Arguments& arguments) {
  arguments.option("--output", "FILE", "write there instead of to the terminal");
}

int run_schema(const Arguments& arguments) {
  const std::string schema = hpo::study_schema_json();
  if (arguments.has("--output"))
    rt::write_file_atomic(arguments.text("--output"), schema);
  else
    print_result(schema);
  return kDone;
}

}  // namespace cli
