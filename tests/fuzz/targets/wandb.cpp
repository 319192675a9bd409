// Sweep files of W&B.

#include "hpo/import/wandb.h"
#include "runtime/base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::Imported imported = hpo::import_wandb(std::string(input), "sweep.yaml");
    (void)hpo::parse_study(imported.yaml, "sweep.yaml", "/");
  } catch (const rt::Error& error) {
    promise_message(error.what());
  }
}
