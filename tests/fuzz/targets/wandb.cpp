// Sweep files of W&B.

#include "hpo/import/wandb.h"
#include "hpo/study/yaml_reader.h"
#include "runtime/base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    // What was made is YAML, whatever a study file may say against it.
    (void)hpo::study::read_yaml(hpo::import_wandb(std::string(input), "sweep.yaml").yaml);
  } catch (const rt::Error& error) {
    promise_message(error.what());
  }
}
