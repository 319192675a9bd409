// Sweep files of W&B.

#include "hpo/import/wandb.h"
#include "base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::Imported imported = hpo::import_wandb(std::string(input), "sweep.yaml");
    (void)hpo::parse_study(imported.yaml, "sweep.yaml", "/");
  } catch (const base::Error& error) {
    promise_message(error.what());
  }
}
