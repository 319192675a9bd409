#include "cli/runs.h"

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace cli {

void declare_dir(Arguments& arguments) {
  arguments.option("--dir", "D", "folder of the studies (default: runs, under the current folder)");
}

bool is_study_file(const base::Path& path) {
  return (path.extension() == ".yaml" || path.extension() == ".yml") && base::file_size(path);
}

base::Path runs_folder(const Arguments& arguments) {
  if (!arguments.has("--dir")) return "runs";
  const std::string folder = arguments.text("--dir");
  if (folder.empty()) throw base::Error(base::Errc::usage, "--dir: '', expected a folder");
  return folder;
}

void declare_run(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or its folder");
  declare_dir(arguments);
}

hpo::StudyReader open_run(const Arguments& arguments) {
  return hpo::StudyReader(hpo::find_run(arguments.text("RUN"), runs_folder(arguments)));
}

std::string no_value(const hpo::StudyReader& run) {
  const hpo::StudyInfo info = run.info();
  return base::cat("no trial of '", info.name, "' has a value",
                   info.state == hpo::StudyState::finished ? "" : " yet");
}

void declare_trial(Arguments& arguments) {
  arguments.positional("TRIAL", "a trial number, or \"best\"");
}

hpo::TrialRow trial_of(const hpo::StudyReader& run, const std::string& word,
                       std::string_view what) {
  constexpr std::size_t kMost = 60;
  const std::string& name = run.info().name;
  if (word == "best") {
    if (const auto best = run.best()) return *best;
    throw base::Error(base::Errc::usage,
                      base::cat(what, ": ", no_value(run), ", expected a trial number"));
  }
  const std::uint64_t all = run.counts().all();
  const bool whole = word.find_first_not_of("0123456789") == word.npos;
  if (word.empty() || !whole)
    throw base::Error(base::Errc::usage, base::cat(what, " is '", base::printable(word, kMost),
                                                   "', expected a trial number or \"best\""));
  // One that is too large for a number is none of the study's either.
  const auto number = base::parse_int(word);
  const auto trial = number ? run.trial(static_cast<std::uint64_t>(*number)) : std::nullopt;
  if (trial) return *trial;
  throw base::Error(base::Errc::usage,
                    base::cat(what == "TRIAL" ? "" : base::cat(what, ": "), "trial ",
                              base::printable(word, kMost), " is not in the study '", name, "', ",
                              all == 0   ? "which has none yet"
                              : all == 1 ? "whose only trial is 0"
                                         : base::cat("expected 0 to ", all - 1)));
}

hpo::TrialRow trial_to_repeat(const hpo::StudyReader& run, const std::string& word,
                              std::string_view what) {
  hpo::TrialRow trial = trial_of(run, word, what);
  if (trial.parent)
    throw base::Error(
        base::Errc::usage,
        base::cat(what, ": trial ", trial.trial, " continues the network of trial ", *trial.parent,
                  " and its params changed on the way, so they alone do not reproduce it "
                  "(trellis show prints its lineage); choose a trial without a parent"));
  return trial;
}

void declare_json(Arguments& arguments) { arguments.flag("--json", "for programs"); }

void print_result(std::string_view text) {
  const bool ends = text.empty() || text.back() == '\n';
  // What a write fails on, the buffer forgets: a flush behind it would find nothing to complain of.
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                     (ends || std::fputc('\n', stdout) != EOF) && std::fflush(stdout) == 0;
  // A reader that left early (`| head`) has what it wanted; a full disk does not.
  if (!whole && errno != EPIPE) throw base::storage_error("write", "standard output", errno);
}

}  // namespace cli
