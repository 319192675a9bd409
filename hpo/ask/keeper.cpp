#include "hpo/ask/keeper.h"

#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/copy.h"
#include "base/text.h"
#include "hpo/ask/asked_study.h"
#include "hpo/ask/client.h"
#include "hpo/ask/server.h"
#include "hpo/ask/socket.h"
#include "hpo/driver/adopt.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/same_study.h"
#include "hpo/log/stop_driver.h"
#include "hpo/log/study_claim.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/asked.h"

namespace hpo {

namespace {

/// Seconds that another keeper may take from its lock to its socket, behind which it reads the log
/// for as long as that takes, and from a request to end to its end.
constexpr double kPatience = 60;
constexpr const char* kKeeperLog = "keeper.log";
constexpr char kReady = '+';

/// What the new process says to the old one: that it serves, or the kind and words of its error.
class Line {
 public:
  explicit Line(base::File file) : file_(std::move(file)) {}
  void ready() { write(std::string(1, kReady)); }
  void failed(base::Errc kind, std::string_view words) {
    write(base::cat(static_cast<char>('0' + static_cast<int>(kind)), words));
  }
  [[nodiscard]] bool open() const { return static_cast<bool>(file_); }

 private:
  void write(const std::string& text) {
    (void)!::write(file_.fd(), text.data(), text.size());
    (void)file_.close();
  }
  base::File file_;
};

/// No file system is kept in use but that of the study. From here on relative paths are but words.
void leave_working_folder() { (void)!::chdir("/"); }

/// The error (locked) for whoever finds the lock with one who answers nobody.
base::Error in_use(const base::Path& folder) {
  const auto holder = StudyLock::holder(folder);
  return {base::Errc::locked,
          base::cat(folder.string(), " is in use by ",
                    holder ? base::cat(process_words(*holder), " since ", holder->since)
                           : "another process",
                    ", which does not answer: wait for it, or end it with trellis stop")};
}

/// Throws base::Error (study) where the folder holds another study. `logged`: its file.
void require_same(const StudySpec& study, const std::string& logged, const base::Path& folder,
                  bool unsearched) {
  const std::string now = resolved_yaml(study);
  const std::string other = what_is_other(in_todays_words(logged, now, {}), now, unsearched);
  if (!other.empty()) throw other_study(folder, other);
}

void keep(const StudySpec& study, const base::Path& folder, double idle, Line& line) {
  const Interrupts interrupts;
  EventLog log(folder);
  if (log.facts()) require_same(study, log.facts()->resolved, folder, is_unsearched(log));
  const std::vector<Changed> changes = adopt(log, study, nullptr, folder);
  AskListener listener(std::filesystem::absolute(folder));
  leave_working_folder();
  AskedStudy asked(study, log, changes);
  AskServer server(listener, asked);
  line.ready();
  server.serve(idle, *interrupts.asked());
}

void note_in(const base::Path& folder, std::string_view words) {
  const base::File file(::open((folder / kKeeperLog).c_str(),
                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  const std::string text = base::cat(base::wall_time(), " ", words, "\n");
  if (file) (void)!::write(file.fd(), text.data(), text.size());
}

/// What the new process does: it keeps the study, and says to the old one how that began.
void become_keeper(const StudySpec& study, const base::Path& folder, double idle, base::File out) {
  Line line(std::move(out));
  const auto fail = [&, place = std::filesystem::absolute(folder)](base::Errc kind,
                                                                   const char* words) {
    line.open() ? line.failed(kind, words) : note_in(place, words);
  };
  try {
    keep(study, folder, idle, line);
  } catch (const base::Error& error) {
    fail(error.kind(), error.what());
  } catch (const std::exception& error) {
    fail(base::Errc::internal, error.what());
  }
}

/// Whether somebody answers, or will in a moment: the lock comes before the socket.
bool is_kept(const base::Path& folder, double patience) {
  const base::Moment begun = base::now();
  for (;;) {
    if (connect_in(folder)) return true;
    if (!is_driven(folder) || base::seconds_since(begun) >= patience) return false;
    base::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Whether the keeper that greeted us keeps this very study; one whose limits have changed since is
/// asked to end, which disturbs nobody: what was not answered is said again. Throws base::Error
/// (study) where it is another study, (locked) where it does not end.
bool keeps(const StudySpec& study, const base::Path& folder) {
  const std::string resolved = StudyReader(folder).resolved();
  require_same(study, resolved, folder, false);
  const std::string now = resolved_yaml(study);
  if (changes_between(in_todays_words(resolved, now, {}), now).empty()) return true;
  if (stop_driver(folder, kPatience).answer == StopAnswer::still) throw in_use(folder);
  return false;
}

}  // namespace

void start_keeper(const StudySpec& study, ReadFrom from, const base::Path& folder, double idle) {
  require_asked(study);
  base::make_folder(folder);
  for (const base::Moment begun = base::now();;) {
    if (AskClient::connect(folder) && (from == ReadFrom::folder || keeps(study, folder))) return;
    const std::string said = base::leave_copy(
        [&](base::File out) { become_keeper(study, folder, idle, std::move(out)); });
    if (!said.empty() && said[0] == kReady) return;
    if (said.empty())
      throw base::Error(base::Errc::internal,
                        base::cat("the keeper of ", folder.string(), " has died"));
    const auto kind = static_cast<base::Errc>(said[0] - '0');
    if (kind != base::Errc::locked) throw base::Error(kind, said.substr(1));
    // Who had the lock may keep another study, or have gone in between.
    if (!is_kept(folder, kPatience) && base::seconds_since(begun) >= kPatience)
      throw in_use(folder);
  }
}

}  // namespace hpo
