#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/import/optuna.h"
#include "hpo/import/optuna_database.h"
#include "hpo/import/optuna_journal.h"
#include "hpo/import/wandb.h"
#include "hpo/study/yaml_reader.h"

namespace cli {

namespace {

constexpr std::uint64_t kMostJournal = std::uint64_t{4} << 30;

void say_notes(const hpo::Imported& imported) {
  for (const std::string& line : imported.notes.lines()) std::fprintf(stderr, "%s\n", line.c_str());
}

/// Where the program of a sweep file may be, and where the study file will be.
hpo::ImportPlaces places_of(const Arguments& arguments) {
  hpo::ImportPlaces places = hpo::ImportPlaces::of(arguments.text("FILE"));
  if (arguments.has("--output"))
    places.study = hpo::ImportPlaces::of(arguments.text("--output")).sweep;
  return places;
}

/// What is there stays, above all the file that is read.
void require_new_study(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  std::error_code none;
  if (arguments.has("--output") &&
      std::filesystem::equivalent(file, arguments.text("--output"), none))
    throw base::Error(base::Errc::usage, base::cat("--output: ", base::printable(file, 4096),
                                                   " is the file to import; choose another name"));
  require_new_output(arguments);
}

/// Whether a file begins as all databases of SQLite do.
bool is_database(const base::Path& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;  // a pipe would be waited for
  std::array<char, kMagic.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == kMagic;
}

/// What the new study is called after.
std::string name_giver(const Arguments& arguments) {
  if (arguments.has("--output")) return arguments.text("--output");
  const std::string theirs = arguments.text("--study");
  return hpo::is_study_name(theirs) ? theirs : arguments.text("FILE");
}

/// The study file, and a run folder with its trials, from which asking goes on.
int import_trials(const Arguments& arguments, const hpo::OptunaStorage& storage) {
  const std::string file = arguments.text("FILE"), called = name_giver(arguments);
  std::optional<OutputFile> output = open_output(arguments);
  hpo::ImportedStudy imported = hpo::import_optuna(storage, file, arguments.text("--study"));
  const hpo::StudySpec study = hpo::study_made(imported.yaml, file, called);
  std::erase_if(imported.trials, [&](const hpo::ImportedTrial& trial) {
    return !study.space.contains(trial.params);
  });
  const std::size_t outside = imported.ended - imported.trials.size();
  if (outside > 0 && imported.trials.empty())
    imported.notes.leave(base::cat("any trial: none of the ", imported.ended,
                                   " lies in this space, so the study starts without trials"));
  else if (outside > 0)
    imported.notes.leave(
        base::cat(outside, " of ", imported.ended, " trials, which lie outside this space"));
  const base::Path folder = runs_folder(arguments) / study.name;
  hpo::write_imported(study, imported.trials, folder);
  say_notes(imported);
  std::fprintf(stderr, "%zu %s in %s\n", imported.trials.size(),
               imported.trials.size() == 1 ? "trial is" : "trials are", folder.c_str());
  write_result(output, hpo::with_name(imported.yaml, study.name));
  return kDone;
}

}  // namespace

void declare_import(Arguments& arguments) {
  arguments.positional(
      "FILE", "a sweep file of W&B (YAML), or a database (SQLite) or journal file of Optuna");
  arguments.option("--output", "FILE", "write the study file there instead of to the terminal");
  arguments.option("--study", "NAME", "which study of Optuna's, where there are several");
  declare_dir(arguments);
}

int run_import(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  require_new_study(arguments);
  if (is_database(file))
    return import_trials(arguments,
                         hpo::read_optuna_database(file, file, arguments.text("--study")));
  const std::string text = base::read_file(file, kMostJournal);
  if (text.starts_with("{\"op_code\""))
    return import_trials(arguments, hpo::read_optuna_journal(text, file));
  if (text.empty())
    throw base::Error(base::Errc::study,
                      base::cat(base::printable(file),
                                ":1:1: the file is empty, expected a sweep file of "
                                "W&B, or a database or journal file of Optuna"));
  if (text.size() > hpo::study::kMostBytes)
    throw base::Error(base::Errc::study, base::cat(base::printable(file), ":1:1: the file has ",
                                                   text.size(), " bytes, expected at most 1 MiB"));
  if (arguments.has("--study"))
    throw base::Error(base::Errc::usage, "--study works only with a database or journal of Optuna");
  const hpo::Imported imported = hpo::import_wandb(text, file, places_of(arguments));
  say_notes(imported);
  write_result(arguments, imported.yaml);
  return kDone;
}

}  // namespace cli
