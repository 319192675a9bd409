#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/runs.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

/// A link is followed, so that its target is replaced and not the link, or made where it leads to
/// nothing yet.
base::Path followed(base::Path path) {
  constexpr int kMostLinks = 40;
  std::error_code none;
  if (fs::exists(path, none)) {
    base::Path real = fs::canonical(path, none);
    return none ? path : real;
  }
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, none)); ++i)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

/// A copy of the descriptor of this process's output or errors if that is the file at `path` (a
/// shell sent it there, and may have more to say); else -1.
int shared_output(const base::Path& path) {
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

OutputFile::OutputFile(base::Path path) : shown_(std::move(path)), path_(followed(shown_)) {
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_directory(status)) throw base::storage_error("write", shown_, EISDIR);
  open_ = base::File(shared_output(path_));
  if (open_) return;
  int code = 0;
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    new_.emplace(path_, base::NewFile::Naming::late);
    code = new_->code();
  } else {
    open_ = base::File(base::open_retrying(path_.c_str(), O_WRONLY));
    code = open_ ? 0 : errno;
  }
  if (code != 0) throw base::storage_error("write", shown_, code);
}

void OutputFile::write(std::string_view text) {
  const std::span<const std::byte> bytes = base::as_bytes(text);
  const int code = new_ ? new_->write(bytes) : base::write_all(open_.fd(), bytes);
  if (code != 0) throw base::storage_error("write", shown_, code);
}

void OutputFile::finish() {
  const int code = new_ ? new_->commit(base::Durability::durable) : open_.close();
  const bool whole = new_ && new_->renamed();
  if (code != 0) throw base::storage_error(whole ? "sync the folder of" : "write", shown_, code);
}

void require_new_output(const Arguments& arguments) {
  if (!arguments.has("--output")) return;
  const base::Path path = arguments.text("--output");
  std::error_code none;
  if (!fs::is_regular_file(path, none) || base::File(shared_output(path))) return;
  throw base::Error(base::Errc::storage,
                    base::cat(base::printable(path.string(), 4096),
                              " already exists: choose another name with --output, or delete it"));
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
