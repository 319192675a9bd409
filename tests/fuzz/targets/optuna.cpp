// Journals of Optuna.

#include "hpo/import/optuna.h"
#include "base/error.h"
#include "hpo/import/optuna_journal.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::ImportedStudy made = hpo::import_optuna(
        hpo::read_optuna_journal(std::string(input), "journal.log"), "journal.log", "");
    (void)hpo::study_made(made.yaml, "journal.log", "study.yaml");
  } catch (const base::Error& error) {
    promise_message(error.what());
  }
}
