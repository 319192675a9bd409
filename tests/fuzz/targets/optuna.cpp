// Journals of Optuna.

#include "hpo/import/optuna.h"
#include "runtime/base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::ImportedStudy made = hpo::import_optuna(std::string(input), "journal.log", "");
    (void)hpo::study_made(made.yaml, "journal.log", "study.yaml");
  } catch (const rt::Error& error) {
    promise_message(error.what());
  }
}
