#include "hpo/driver/programs/wandb_runs.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/config_names.h"
#include "hpo/wandb/sweep_config.h"

namespace hpo {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWandbConfig = "wandb-config.yaml";
constexpr const char* kWandbFolder = "wandb";  ///< the folder that the package makes
constexpr const char* kRunEnd = ".wandb";      ///< of the name of a run's file
constexpr std::size_t kRunPiece = 256 * 1024;  ///< bytes read at a time

/// The identity of a trial's runs: W&B's agent gives one, too.
std::string run_id(const StudySpec& study, const base::Path& folder) {
  return base::cat(study.name, "-", folder.filename().string());
}

/// The files of runs, in the order of their folders, whose names begin with the time. Follows no
/// link: latest-run leads to one of them again.
std::vector<std::string> run_files(const base::Path& folder) {
  std::set<std::string> files;
  std::error_code error;
  for (fs::directory_iterator run(folder / kWandbFolder, error), end; !error && run != end;
       run.increment(error)) {
    std::error_code gone;
    if (run->symlink_status(gone).type() != fs::file_type::directory) continue;
    for (fs::directory_iterator file(run->path(), gone); !gone && file != fs::directory_iterator();
         file.increment(gone)) {
      if (file->path().extension() == kRunEnd)
        files.insert(file->path().lexically_relative(folder).string());
    }
  }
  return {files.begin(), files.end()};
}

}  // namespace

std::map<std::string, std::string> wandb_environment(const StudySpec& study,
                                                     const base::Path& folder) {
  std::map<std::string, std::string> environment{
      {"WANDB_DIR", folder.string()},
      {"WANDB_RUN_ID", run_id(study, folder)},
      {"WANDB_SWEEP_PARAM_PATH", (folder / kWandbConfig).string()},
      {"WANDB_X_TRANSACTION_LOG_FLUSH_INTERVAL", "0.1"}};
  for (const auto& [name, value] : {std::pair("WANDB_MODE", "offline"), {"WANDB_SILENT", "true"}})
    if (std::getenv(name) == nullptr) environment.emplace(name, value);
  return environment;
}

std::string wandb_run_file(const StudySpec& study, const base::Path& folder) {
  const std::string name = base::cat("run-", run_id(study, folder), kRunEnd);
  return (folder / kWandbFolder / "latest-run" / name).string();
}

WandbRuns::WandbRuns(const StudySpec& study, const Params& params, const TrialFolder& folder)
    : folder_(folder) {
  base::write_file_atomic(folder.path / kWandbConfig,
                          wandb::sweep_config(params, config_names(study)),
                          base::Durability::cached);
  for (std::string& file : run_files(folder.path)) before_.insert(std::move(file));
}

void WandbRuns::take(const std::string& name, Run& run) {
  const base::File file(
      ::openat(folder_.self.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  for (std::string piece(kRunPiece, '\0');; piece.resize(kRunPiece)) {
    const auto into = std::as_writable_bytes(std::span(piece));
    piece.resize(base::read_into(file.fd(), into, run.read).bytes);
    if (piece.empty()) return;
    run.read += piece.size();
    const std::string lines = run.log.add(piece);
    if (!lines.empty()) folder_.add_reports(lines);
  }
}

void WandbRuns::read(bool over) {
  for (const std::string& name : run_files(folder_.path)) {
    if (before_.contains(name)) continue;
    Run& run = runs_[name];
    try {
      take(name, run);
    } catch (const base::Error& error) {
      if (error.kind() != base::Errc::data) throw;
      throw TrialFailure(Cause::error, base::cat(name, " ", error.what()));
    }
    const std::string rest = over ? run.log.finish() : "";
    if (!rest.empty()) folder_.add_reports(rest);
  }
}

}  // namespace hpo
