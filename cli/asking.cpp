#include "cli/asking.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/pipe.h"
#include "base/text.h"
#include "cli/runs.h"
#include "hpo/ask/client.h"
#include "hpo/log/study_reader.h"

namespace cli {

namespace {

/// Times that a keeper may die over one line before we believe that it always will.
constexpr int kAttempts = 20;

/// Runs `trellis-engine keep RUN`, which prints the study's folder once somebody keeps it. Its own
/// messages go where ours do; then the exit code is all that is left to pass on.
base::Path start_keeper(const Arguments& arguments) {
  std::error_code error;
  const base::Path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string engine = self.parent_path() / "trellis-engine";
  std::vector<std::string> words{engine, "keep", arguments.text("RUN")};
  if (arguments.has("--dir")) words.insert(words.end(), {"--dir", arguments.text("--dir")});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  base::Pipe pipe = base::open_pipe();
  if (!pipe) throw base::storage_error("make a pipe for", engine, errno);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.write.fd(), STDOUT_FILENO);
  // A pipe or a lock of whoever asks first must not stay open as long as the keeper lives.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  pid_t child = 0;
  const int refused =
      ::posix_spawn(&child, engine.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) throw base::storage_error("start", engine, refused);
  (void)pipe.write.close();
  std::string folder = base::read_all(pipe.read.fd());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : base::exit_code(base::Errc::internal));
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
