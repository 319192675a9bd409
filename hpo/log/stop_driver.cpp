#include "hpo/log/stop_driver.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/text.h"
#include "hpo/log/study_claim.h"

namespace hpo {

namespace {

/// Through a descriptor of the process, which never means another one that got its number; by its
/// number where the system refuses such descriptors.
void ask(const Holder& driver, const base::Path& folder) {
  const auto id = static_cast<pid_t>(driver.pid);
  const base::File process(static_cast<int>(::syscall(SYS_pidfd_open, id, 0)));
  if (!driver.alive().value_or(false)) return;
  const long sent = process ? ::syscall(SYS_pidfd_send_signal, process.fd(), SIGTERM, nullptr, 0)
                            : ::kill(id, SIGTERM);
  if (sent != 0 && errno != ESRCH)
    throw base::Error(base::Errc::locked,
                      base::cat(folder.string(), " is driven by process ", driver.pid,
                                ", which cannot be asked to stop: ", base::errno_words(errno)));
}

}  // namespace

base::Path stop_wish(const base::Path& folder) { return folder / "net" / "stop"; }

namespace {

base::Path submitted_in(const base::Path& folder) { return folder / "net" / "slurm-driver"; }

}  // namespace

std::optional<std::string> submitted_driver(const base::Path& folder) {
  if (!base::file_size(submitted_in(folder))) return std::nullopt;
  return base::read_file(submitted_in(folder), 64);
}

void note_submitted_driver(const base::Path& folder, const std::string& job) {
  base::write_file_atomic(submitted_in(folder), job, base::Durability::cached);
}

void forget_submitted_driver(const base::Path& folder) { base::remove_file(submitted_in(folder)); }

Stopping stop_driver(const base::Path& folder, double patience) {
  const StudyLock::State lock = StudyLock::look(folder);
  const auto driver =
      lock == StudyLock::State::held ? StudyLock::holder(folder) : claimant(folder, lock);
  if (!driver && lock != StudyLock::State::held) return {};
  if (!driver)
    throw base::Error(base::Errc::storage,
                      base::cat(folder.string(), " is in use, and its lock does not say by whom"));
  const std::optional<bool> alive = driver->alive();
  if (alive && !*alive) return {};
  const bool looks = base::file_size(folder / "net" / "driver.json").has_value();
  if (!alive && !looks)
    throw base::Error(
        base::Errc::locked,
        base::cat(folder.string(), " is driven by process ", driver->pid, " on ", driver->host,
                  ": stop it there, with trellis stop or kill ", driver->pid));
  if (looks) base::write_file_atomic(stop_wish(folder), "", base::Durability::cached);
  if (alive) ask(*driver, folder);
  const base::Moment begun = base::now();
  while (alive ? driver->alive().value_or(false) : is_driven(folder)) {
    if (base::seconds_since(begun) >= patience)
      return {.answer = StopAnswer::still, .driver = *driver};
    base::sleep_for(std::chrono::milliseconds(20));
  }
  return {.answer = StopAnswer::stopped, .driver = *driver};
}

}  // namespace hpo
