#include "cli/asking.h"

#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/executable.h"
#include "base/process/child.h"
#include "base/process/start.h"
#include "base/text.h"
#include "cli/runs.h"
#include "hpo/ask/client.h"
#include "hpo/log/study_reader.h"

namespace cli {

namespace {

/// Times that a keeper may die over one line before we believe that it always will.
constexpr int kAttempts = 20;

/// Starts `trellis-engine keep RUN`. A lock of whoever asks first must not stay open as long as the
/// keeper lives; the signals that it ignores, as nohup(1) does, stay ignored.
base::Spawned start_engine(const Arguments& arguments) {
  const std::string engine = base::beside_this_program("trellis-engine");
  std::vector<std::string> words{engine, "keep", arguments.text("RUN")};
  if (arguments.has("--dir")) words.insert(words.end(), {"--dir", arguments.text("--dir")});
  try {
    return base::spawn({.path = engine,
                        .words = std::move(words),
                        .environment = base::environment_with({}),
                        .death_signal = 0,
                        .group = base::Group::ours,
                        .signals = base::Signals::ours},
                       {.output = true});
  } catch (const base::StartFailure& failure) {
    throw base::storage_error("start", engine, failure.code());
  }
}

/// Starts a keeper and returns the study's folder, which the engine prints once somebody keeps it.
/// Its own messages go where ours do; then the exit code is all that is left to pass on.
base::Path start_keeper(const Arguments& arguments) {
  const base::Spawned engine = start_engine(arguments);
  base::ChildSupervision run(engine.process, base::Group::ours);
  std::string folder;
  run.read(engine.output.fd(), [&](std::string_view piece) { folder += piece; });
  run.serve();
  const base::ProcessOutcome outcome = run.finish();
  const bool exited = outcome.end == base::ProcessEnd::exited;
  if (!exited || outcome.status != 0)
    std::exit(exited ? outcome.status : base::exit_code(base::Errc::internal));
  while (folder.ends_with('\n')) folder.pop_back();
  return folder;
}

}  // namespace

void declare_asked(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or folder, or a study file");
  declare_dir(arguments);
}

std::string say_to_keeper(const Arguments& arguments, std::string_view line) {
  const std::string run = arguments.text("RUN");
  const bool file = is_study_file(run);
  std::optional<base::Path> folder;
  if (!file) folder = hpo::find_run(run, runs_folder(arguments));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!folder) folder = start_keeper(arguments);
    if (auto keeper = hpo::AskClient::connect(*folder)) {
      if (auto answer = keeper->call(line)) return *answer;
    } else {
      folder = start_keeper(arguments);
    }
  }
  throw base::Error(base::Errc::storage, base::cat("the keeper of ", folder->string(),
                                                   " dies over this; its last words may be in ",
                                                   (*folder / "keeper.log").string()));
}

}  // namespace cli
