#include "hpo/driver/rerun.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "hpo/driver/command_end.h"
#include "hpo/driver/command_reports.h"
#include "hpo/driver/command_work.h"
#include "hpo/driver/trial_folder.h"
#include "hpo/log/study_lock.h"
#include "hpo/study/command.h"
#include "runtime/base/clock.h"
#include "runtime/base/text.h"
#include "tasks/spawn.h"

namespace hpo {

namespace {

/// While it lives, Ctrl-C is for the program alone.
class Deaf {
 public:
  Deaf() : before_{::signal(SIGINT, SIG_IGN), ::signal(SIGQUIT, SIG_IGN)} {}
  ~Deaf() {
    ::signal(SIGINT, before_[0]);
    ::signal(SIGQUIT, before_[1]);
  }
  Deaf(const Deaf&) = delete;
  Deaf& operator=(const Deaf&) = delete;

 private:
  sighandler_t before_[2];
};

/// Its wait status. Throws where it cannot be started.
int run(const TrialCommand& command, std::vector<std::string> environment) {
  std::vector<std::string> words = command.words;
  const std::vector<char*> argv = tasks::pointers(words), env = tasks::pointers(environment);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t usual;
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  ::posix_spawnattr_init(&usual);
  ::posix_spawnattr_setsigdefault(&usual, &all);
  ::posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error =
      ::posix_spawn(&child, command.path.c_str(), &actions, &usual, argv.data(), env.data());
  ::posix_spawnattr_destroy(&usual);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw rt::Error(rt::Errc::study, rt::cat("cannot start ", rt::printable(words.front(), 80),
                                             " in ", command.folder, ": ", rt::errno_words(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

Rerun rerun_command(const StudySpec& study, std::uint64_t trial, const Params& params,
                    const rt::Path& folder) {
  const TrialCommand command = trial_command(study, params);
  rt::make_folder(folder);
  const std::string lock_file = rt::cat("trial-", trial, ".lock");
  const StudyLock lock(folder, lock_file);
  if (lock.state() == StudyLock::State::held) throw StudyLock::refusal(folder, lock_file);
  std::error_code nothing_there;
  std::filesystem::remove_all(folder / trial_folder_name(trial), nothing_there);
  TrialFolder own = open_trial_folder(folder, trial, params);
  begin_log(own);
  CommandReports reports(study, nullptr);
  const Resources resources = trial_resources(study, params);
  const Deaf deaf;
  const rt::Moment begun = rt::now();
  const int status =
      run(command, tasks::environment_with(command_environment(own.path, resources, {})));
  const bool killed = WIFSIGNALED(status);
  const tasks::SupervisorNews news{.over = true,
                                   .end = killed ? tasks::RunEnd::killed : tasks::RunEnd::exited,
                                   .status = killed ? WTERMSIG(status) : WEXITSTATUS(status),
                                   .took = (rt::now() - begun).count()};
  Rerun made{.end = command_end(study, news, {}, false), .folder = own.path};
  try {
    reports.take(own, true, made.reports);
    for (const Report& report : made.reports) require_numbers(study, report);
    if (made.end.state == TrialState::complete) {
      std::optional<Report> last =
          closing_report(study, reports, news.status, static_cast<double>(news.took) * 1e-9);
      if (last) made.reports.push_back(std::move(*last));
    }
  } catch (const TrialFailure& failure) {
    if (made.end.state == TrialState::complete)
      made.end = {TrialState::failed, failure.cause(), failure.what()};
  }
  return made;
}

}  // namespace hpo
