#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "cli/runs.h"
#include "runtime/base/error.h"
#include "runtime/base/new_file.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

/// A link is followed, so that its target is replaced and not the link, or made where it leads to
/// nothing yet.
rt::Path followed(rt::Path path) {
  constexpr int kMostLinks = 40;
  std::error_code none;
  if (fs::exists(path, none)) {
    rt::Path real = fs::canonical(path, none);
    return none ? path : real;
  }
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, none)); ++i)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

/// A copy of the descriptor of this process's output or errors if that is the file at `path` (a
/// shell sent it there, and may have more to say); else -1.
int shared_output(const rt::Path& path) {
  struct stat file {
  }, open{};
  if (::stat(path.c_str(), &file) != 0) return -1;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::fstat(output, &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino)
      return ::fcntl(output, F_DUPFD_CLOEXEC, 0);
  }
  return -1;
}

}  // namespace

OutputFile::OutputFile(rt::Path path) : shown_(std::move(path)), path_(followed(shown_)) {
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_directory(status)) throw rt::storage_error("write", shown_, EISDIR);
  file_ = rt::File(shared_output(path_));
  if (file_) return;
  int flags = O_WRONLY | O_CLOEXEC;
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    part_ = rt::temporary_beside(path_);
    // What has no name yet goes with this process, however it ends.
    const fs::path folder = path_.parent_path();
    file_ = rt::File(::open(folder.empty() ? "." : folder.c_str(), flags | O_TMPFILE, 0666));
    if (file_) return;
    flags |= O_CREAT | O_EXCL;
  }
  named_ = true;
  file_ = rt::File(::open((part_.empty() ? path_ : part_).c_str(), flags, 0666));
  if (!file_) throw rt::storage_error("write", shown_, errno);
}

OutputFile::~OutputFile() {
  if (file_ && named_ && !part_.empty()) ::unlink(part_.c_str());
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_.fd(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw rt::storage_error("write", shown_, errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

int OutputFile::give_name() {
  const std::string open = rt::cat("/proc/self/fd/", file_.fd());
  named_ = ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) == 0;
  return named_ ? 0 : errno;
}

void OutputFile::finish() {
  int code = !part_.empty() && ::fsync(file_.fd()) != 0 ? errno : 0;
  if (code == 0 && !named_) code = give_name();
  const int closing = file_.close();
  if (code == 0) code = closing;
  if (part_.empty()) return;
  if (code == 0 && ::rename(part_.c_str(), path_.c_str()) != 0) code = errno;
  if (code == 0) return;
  ::unlink(part_.c_str());
  throw rt::storage_error("write", shown_, code);
}

void require_new_output(const Arguments& arguments) {
  if (!arguments.has("--output")) return;
  const rt::Path path = arguments.text("--output");
  std::error_code none;
  if (!fs::is_regular_file(path, none) || rt::File(shared_output(path))) return;
  throw rt::Error(rt::Errc::storage,
                  rt::cat(rt::printable(path.string(), 4096),
                          " exists already: choose another name with --output, or remove it"));
}

std::optional<OutputFile> open_output(const Arguments& arguments) {
  if (!arguments.has("--output")) return std::nullopt;
  return std::optional<OutputFile>(std::in_place, arguments.text("--output"));
}

void write_result(std::optional<OutputFile>& output, std::string_view text) {
  if (!output) return print_result(text);
  output->write(text);
  output->finish();
}

void write_result(const Arguments& arguments, std::string_view text) {
  std::optional<OutputFile> output = open_output(arguments);
  write_result(output, text);
}

}  // namespace cli
