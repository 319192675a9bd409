#include "cli/submitted.h"

#include "base/error.h"
#include "base/text.h"
#include "cli/runs.h"
#include "hpo/log/stop_driver.h"
#include "runtime/net/slurm.h"

namespace cli {

std::optional<SubmittedDriver> submitted_driver(const Arguments& arguments) {
  const std::string run = arguments.text("RUN");
  for (const base::Path& folder : {runs_folder(arguments) / run, base::Path(run)}) {
    const auto job = hpo::submitted_driver(folder);
    if (!job) continue;
    const auto listed =
        rt::net::ask_slurm("squeue", {"--noheader", "--job=" + *job, "--format=%T (%r)"});
    if (!listed || listed->empty()) return std::nullopt;
    return SubmittedDriver{folder, *job, listed->substr(0, listed->find('\n'))};
  }
  return std::nullopt;
}

void cancel(const SubmittedDriver& driver) {
  const base::ProgramResult done = rt::net::run_slurm("scancel", {driver.job});
  if (done.end != base::ProcessEnd::exited || done.status != 0)
    throw base::Error(
        base::Errc::storage,
        base::cat("job ", driver.job, " cannot be cancelled: ", base::printable(done.errors, 200)));
}

}  // namespace cli
