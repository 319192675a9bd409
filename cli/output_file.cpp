#include "cli/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "cli/runs.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

/// A link is followed, so that its target is replaced and not the link.
rt::Path followed(const rt::Path& path) {
  std::error_code none;
  rt::Path real = fs::canonical(path, none);
  return none ? path : real;
}

}  // namespace

OutputFile::OutputFile(rt::Path path) : shown_(std::move(path)), path_(followed(shown_)) {
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_directory(status)) throw rt::storage_error("write", shown_, EISDIR);
  int flags = O_WRONLY | O_CLOEXEC;
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    part_ = path_.parent_path() /
            rt::cat(".tmp-", ::getpid(), "-", path_.filename().string().substr(0, 64));
    flags |= O_CREAT | O_EXCL;
  }
  file_ = rt::File(::open((part_.empty() ? path_ : part_).c_str(), flags, 0666));
  if (!file_) throw rt::storage_error("write", shown_, errno);
}

OutputFile::~OutputFile() {
  if (file_ && !part_.empty()) ::unlink(part_.c_str());
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_.fd(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw rt::storage_error("write", shown_, errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::finish() {
  int code = file_.close();
  if (part_.empty()) return;
  if (code == 0 && ::rename(part_.c_str(), path_.c_str()) != 0) code = errno;
  if (code == 0) return;
  ::unlink(part_.c_str());
  throw rt::storage_error("write", shown_, code);
}

void write_result(const Arguments& arguments, std::string_view text) {
  if (!arguments.has("--output")) return print_result(text);
  OutputFile file(arguments.text("--output"));
  file.write(text);
  file.finish();
}

}  // namespace cli
