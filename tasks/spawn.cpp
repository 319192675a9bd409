#include "tasks/spawn.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>

#include "base/pipe.h"
#include "base/text.h"
#include "tasks/launch.h"

namespace tasks {

namespace {

/// The limit of open files before it was raised.
std::optional<rlimit> files_before;

std::string_view remedy(int code) {
  switch (code) {
    case EMFILE:
    case ENFILE:
      return ": raise the limit of open files (ulimit -n)";
    case EAGAIN:
      return ": raise the limit of processes (ulimit -u, or the control group's pids.max)";
    default:
      return "";
  }
}

base::Pipe make_pipe() {
  base::Pipe pipe = base::open_pipe();
  if (!pipe) throw NoMore("make a pipe", errno);
  return pipe;
}

void dont_block(const base::File& end) {
  ::fcntl(end.fd(), F_SETFL, ::fcntl(end.fd(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

NoMore::NoMore(std::string_view what, int code)
    : base::Error(base::Errc::storage,
                  base::cat("cannot ", what, ": ", base::errno_words(code), remedy(code))) {}

bool NoMore::says(int code) {
  return code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE;
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (files_before && limit.rlim_cur == limit.rlim_max) return;  // raised before
  files_before = limit;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void require_files(int count) {
  std::vector<base::File> files;
  while (count-- > 0) {
    if (!files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC)))
      throw NoMore("open more files", errno);
  }
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!more.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : more) out.push_back(base::cat(name, "=", value));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

pid_t start_process(StartedProcess what) {
  const std::vector<char*> words = pointers(what.words), environment = pointers(what.environment);
  const pid_t child = launch({.path = what.path.c_str(),
                              .words = words.data(),
                              .environment = environment.data(),
                              .folder = what.folder.c_str(),
                              .files = what.files,
                              .death_signal = what.death_signal,
                              .open_files = files_before ? &*files_before : nullptr});
  if (child > 0) return child;
  const int reason = errno;
  const std::string doing =
      base::cat("start ", base::printable(what.words.front(), 80), " in ", what.folder);
  if (NoMore::says(reason)) throw NoMore(doing, reason);
  throw base::Error(base::Errc::study,
                    base::cat("cannot ", doing, ": ", base::errno_words(reason)));
}

Spawned spawn(const std::string& path, const std::vector<std::string>& words,
              const std::string& folder, const std::map<std::string, std::string>& environment) {
  base::Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe();
  const std::array<int, 3> streams{input.read.fd(), output.write.fd(), errors.write.fd()};
  const pid_t child = start_process({.path = path,
                                     .words = words,
                                     .environment = environment_with(environment),
                                     .folder = folder,
                                     .files = streams});
  for (const base::File* end : {&input.write, &output.read, &errors.read}) dont_block(*end);
  return {child, std::move(input.write), std::move(output.read), std::move(errors.read)};
}

}  // namespace tasks
