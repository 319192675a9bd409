#include "hpo/log/study_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "base/clock.h"
#include "base/text.h"

namespace hpo {

namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string read_line(const std::string& path) {
  base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[1024];
  ssize_t n = file ? ::read(file.fd(), buffer, sizeof buffer) : 0;
  std::string text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  return text.substr(0, text.find('\n'));
}

/// What /proc/PID/stat says.
class Stat {
 public:
  explicit Stat(std::int64_t pid) : line_(read_line("/proc/" + std::to_string(pid) + "/stat")) {}

  [[nodiscard]] std::int64_t started() const { return number(22); }
  /// Nobody has waited for it yet: its number is still taken, but it holds nothing any more. The
  /// first thread may be over before others, which hold its files.
  [[nodiscard]] bool is_over() const {
    const std::string_view state = field(3);
    return (state.starts_with('Z') || state.starts_with('X')) && number(20) <= 1;
  }

 private:
  /// Fields are counted from 1, behind the name, which may itself hold blanks and parentheses.
  [[nodiscard]] std::string_view field(int wanted) const {
    std::size_t at = line_.rfind(')');
    for (int n = 2; n < wanted && at != std::string::npos; ++n) at = line_.find(' ', at + 1);
    return at == std::string::npos ? "" : std::string_view(line_).substr(at + 1);
  }

  [[nodiscard]] std::int64_t number(int wanted) const {
    const std::string_view text = field(wanted);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::string line_;
};

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string boot_id() { return read_line("/proc/sys/kernel/random/boot_id"); }

}  // namespace

Holder Holder::self() {
  return {.host = host_name(),
          .boot = boot_id(),
          .pid = ::getpid(),
          .started = Stat(::getpid()).started(),
          .since = base::wall_time()};
}

std::optional<bool> Holder::alive() const {
  if (host != host_name()) return {};
  if (boot != boot_id()) return false;
  bool exists = pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
  if (!exists) return false;
  const Stat stat(pid);
  return stat.started() == started && !stat.is_over();
}

std::string Holder::text() const {
  return base::cat(host, "\n", boot, "\n", pid, "\n", started, "\n", since, "\n");
}

std::optional<Holder> Holder::from_text(std::string_view text) {
  std::array<std::string_view, 5> lines;
  for (std::string_view& line : lines) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  auto pid = base::parse_int(lines[2]), started = base::parse_int(lines[3]);
  if (!pid || !started) return {};
  return Holder{.host = std::string(lines[0]),
                .boot = std::string(lines[1]),
                .pid = *pid,
                .started = *started,
                .since = std::string(lines[4])};
}

base::Error locked_error(const base::Path& folder, std::string_view by, std::string_view since) {
  return {base::Errc::locked,
          base::cat(folder.string(), " is in use by ", by, since.empty() ? "" : " since ", since,
                    ": wait for it, stop it, or run under another name with --name")};
}

std::string process_words(const Holder& holder) {
  return base::cat("process ", holder.pid, " on ", holder.host);
}

StudyLock::StudyLock(const base::Path& folder, std::string_view name, Signing signing) {
  base::Path path = folder / name;
  file_ = base::File(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_) throw base::storage_error("open", path, errno);
  struct flock lock = whole_file();
  if (::fcntl(file_.fd(), F_OFD_SETLK, &lock) != 0) {
    state_ = errno == EAGAIN || errno == EACCES ? State::held : State::unknown;
    return;
  }
  state_ = State::free;
  if (signing == Signing::at_once) sign();
}

void StudyLock::sign() const {
  std::string text = Holder::self().text();
  if (::ftruncate(file_.fd(), 0) == 0) (void)!::pwrite(file_.fd(), text.data(), text.size(), 0);
}

std::optional<Holder> StudyLock::holder(const base::Path& folder, std::string_view name) {
  base::File file(::open((folder / name).c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[1024];
  ssize_t n = file ? ::read(file.fd(), buffer, sizeof buffer) : 0;
  return Holder::from_text(std::string_view(buffer, n > 0 ? static_cast<std::size_t>(n) : 0));
}

StudyLock::State StudyLock::look(const base::Path& folder) {
  base::File file(::open((folder / kDriverLock).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno == ENOENT ? State::free : State::unknown;
  struct flock lock = whole_file();
  if (::fcntl(file.fd(), F_OFD_GETLK, &lock) != 0) return State::unknown;
  return lock.l_type == F_UNLCK ? State::free : State::held;
}

base::Error StudyLock::refusal(const base::Path& folder, std::string_view file) {
  // Who holds the lock writes itself into its file a moment after it got it: give it that moment.
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (attempt > 0) base::sleep_for(std::chrono::milliseconds(20));
    auto found = holder(folder, file);
    if (found && found->alive().value_or(true))
      return locked_error(folder, process_words(*found), found->since);
  }
  return locked_error(folder, "another process", "");
}

}  // namespace hpo
