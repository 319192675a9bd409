#include "hpo/driver/programs/trial_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/new_file.h"
#include "base/text.h"
#include "hpo/driver/programs/visible_text.h"
#include "hpo/driver/trial_work.h"

namespace hpo {

namespace {

constexpr const char* kParams = "params.json";
constexpr const char* kReports = "metrics.jsonl";
constexpr const char* kLog = "log";
constexpr const char* kOldLog = "log.before";
constexpr std::size_t kMostTail = 8192;  ///< bytes of a log that are looked at for its last lines

/// What a program made of its own folder is its trial's fault; lack of room or rights is not.
[[noreturn]] void refuse(const base::Path& path, int error, const char* expected) {
  const bool replaced = error == ELOOP || error == ENOTDIR || error == EISDIR || error == EINVAL;
  if (!replaced) throw base::storage_error("open", path, error);
  throw TrialFailure(Cause::error, base::cat(path.string(), " was replaced, expected ", expected));
}

/// Whether it was not there before.
bool make_folder(const base::File& in, const base::Path& shown, const char* name) {
  if (::mkdirat(in.fd(), name, 0777) == 0) return true;
  if (errno != EEXIST) throw base::storage_error("make", shown / name, errno);
  return false;
}

base::File open_folder(const base::File& in, const base::Path& shown, const char* name) {
  base::File folder(::openat(in.fd(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) throw base::storage_error("open", shown / name, errno);
  return folder;
}

base::File open_file(const base::File& in, const base::Path& shown, const char* name, int flags) {
  base::File file(::openat(in.fd(), name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  struct stat status {};
  if (file && ::fstat(file.fd(), &status) == 0 && S_ISREG(status.st_mode)) return file;
  if (!file && errno == ENOENT) return file;
  refuse(shown / name, file ? EINVAL : errno, "a regular file");
}

/// Whether the folder has those parameters.
bool holds(const base::File& in, const base::Path& shown, const std::string& wanted) {
  const base::File params = open_file(in, shown, kParams, O_RDONLY);
  std::string text(wanted.size() + 1, '\0');
  text.resize(base::read_into(params.fd(), std::as_writable_bytes(std::span(text))).bytes);
  return text == wanted;
}

/// Removes what is in the folder, whatever it is. Follows no link.
void empty(const base::Path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    std::filesystem::remove_all(entry.path(), error);
  if (error) throw base::storage_error("remove", folder, error.value());
}

/// Whether there is anything in a folder.
bool has_entries(const base::File& folder) {
  // Of a folder opened anew: reading moves it.
  const int again = ::openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = again < 0 ? nullptr : ::fdopendir(again);
  if (entries == nullptr) {
    if (again >= 0) ::close(again);
    return false;
  }
  bool any = false;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    any = any || (name != "." && name != "..");
  }
  ::closedir(entries);
  return any;
}

void write_params(const base::File& in, const base::Path& shown, const std::string& text) {
  const base::File file = open_file(in, shown, kParams, O_WRONLY | O_CREAT | O_EXCL);
  if (const int code = base::write_all(file.fd(), base::as_bytes(text)); code != 0)
    throw base::storage_error("write", shown / kParams, code);
}

/// A last line without its end was cut off when its writer was killed. The empty line behind what
/// earlier attempts wrote tells it from the same lines in a file that is written anew.
void end_last_attempt(const base::File& file) {
  struct stat status {};
  char last = '\n';
  if (::fstat(file.fd(), &status) != 0 || status.st_size == 0) return;
  (void)!::pread(file.fd(), &last, 1, status.st_size - 1);
  const std::string_view end = last == '\n' ? "\n" : "\n\n";
  (void)!::write(file.fd(), end.data(), end.size());
}

}  // namespace

std::string trial_reports(const base::Path& folder) { return (folder / kReports).string(); }
std::string trial_params(const base::Path& folder) { return (folder / kParams).string(); }

TrialFolder open_trial_folder(const base::Path& study, std::uint64_t trial, const Params& params) {
  const base::Path absolute = std::filesystem::absolute(study).lexically_normal();
  const std::string name = trial_folder_name(trial);
  const std::string number = name.substr(name.find('/') + 1);
  const base::File root(::open(absolute.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) throw base::storage_error("open", absolute, errno);
  (void)make_folder(root, absolute, "trials");
  const base::File trials = open_folder(root, absolute, "trials");
  const bool made = make_folder(trials, absolute / "trials", number.c_str());
  TrialFolder folder{.path = absolute / name,
                     .self = open_folder(trials, absolute / "trials", number.c_str())};
  const std::string wanted = json_of(params) + "\n";
  if (made || !holds(folder.self, folder.path, wanted)) {
    if (!made) empty(folder.path);
    write_params(folder.self, folder.path, wanted);
  }
  if (!make_folder(folder.self, folder.path, kCheckpointFolder)) {
    const base::File there(::openat(folder.self.fd(), kCheckpointFolder,
                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!there) refuse(folder.path / kCheckpointFolder, errno, "a folder, and no link to one");
    folder.has_checkpoints = has_entries(there);
  }
  begin_reports(folder);
  folder.log = open_file(folder.self, folder.path, kLog, O_RDONLY);
  return folder;
}

namespace {

base::File regular_file(const base::File& in, const char* name) {
  base::File file(::openat(in.fd(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  const bool regular = file && ::fstat(file.fd(), &status) == 0 && S_ISREG(status.st_mode);
  return regular ? std::move(file) : base::File();
}

}  // namespace

base::File TrialFolder::reports() const { return regular_file(self, kReports); }
base::File TrialFolder::printed() const { return regular_file(self, kLog); }

namespace {

void add_to(const base::File& in, const base::Path& shown, const char* name,
            std::string_view bytes) {
  const base::File file = open_file(in, shown, name, O_WRONLY | O_APPEND | O_CREAT);
  if (const int code = base::write_all(file.fd(), base::as_bytes(bytes)); code != 0)
    throw base::storage_error("write", shown / name, code);
}

}  // namespace

void TrialFolder::add_reports(std::string_view bytes) const { add_to(self, path, kReports, bytes); }
void TrialFolder::add_to_log(std::string_view bytes) const { add_to(self, path, kLog, bytes); }
void TrialFolder::empty_reports() const {
  (void)open_file(self, path, kReports, O_WRONLY | O_CREAT | O_TRUNC);
}

void renew(TrialFolder& folder) {
  folder.empty_reports();
  (void)open_file(folder.self, folder.path, kLog, O_WRONLY | O_CREAT | O_TRUNC);
  empty(folder.path / kCheckpointFolder);
  folder.has_checkpoints = false;
}

void begin_reports(const TrialFolder& folder) {
  end_last_attempt(open_file(folder.self, folder.path, kReports, O_RDWR | O_APPEND | O_CREAT));
}

void begin_log(TrialFolder& folder) {
  (void)::renameat(folder.self.fd(), kLog, folder.self.fd(), kOldLog);
  folder.log = open_file(folder.self, folder.path, kLog, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
}

bool continue_log(TrialFolder& folder) {
  folder.log = open_file(folder.self, folder.path, kLog, O_RDWR | O_APPEND | O_CREAT);
  struct flock all {
    .l_type = F_WRLCK, .l_whence = SEEK_SET
  };
  // Without locks on this file system nobody can tell.
  return ::fcntl(folder.log.fd(), F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES);
}

std::vector<std::string> last_lines_of(const base::Path& path, std::size_t most) {
  const base::File log(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!log || ::fstat(log.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string text(kMostTail, '\0');
  const off_t from = std::max<off_t>(0, status.st_size - static_cast<off_t>(text.size()));
  const auto into = std::as_writable_bytes(std::span(text));
  text.resize(base::read_into(log.fd(), into, static_cast<std::uint64_t>(from)).bytes);
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    if (text.back() == '\n') text.pop_back();
    const std::size_t begin = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
    const std::vector<std::string> seen = visible_lines(text.substr(begin));
    if (!seen.empty() && !seen.back().empty()) lines.push_back(base::printable(seen.back(), 300));
    text.resize(begin);
  }
  std::ranges::reverse(lines);
  return lines;
}

std::vector<std::string> last_log_lines(const base::Path& study, std::uint64_t trial,
                                        std::size_t most) {
  return last_lines_of(study / trial_folder_name(trial) / kLog, most);
}

}  // namespace hpo
