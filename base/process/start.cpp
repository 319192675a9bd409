#include "base/process/start.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/pipe.h"
#include "base/process/no_more.h"
#include "base/text.h"

namespace base {

namespace {

/// Opens a pipe where a stream is one. Returns the descriptor that the new process gets: `theirs`
/// of the pipe, or the stream of this process.
int open_stream(bool piped, int own, Pipe& pipe, const File& ours, const File& theirs) {
  if (!piped) return own;
  pipe = open_pipe();
  if (!pipe) throw NoMore("make a pipe", errno);
  ::fcntl(ours.fd(), F_SETFL, ::fcntl(ours.fd(), F_GETFL) | O_NONBLOCK);
  return theirs.fd();
}

}  // namespace

StartFailure::StartFailure(const std::string& doing, int code)
    : Error(Errc::study, cat("cannot ", doing, ": ", errno_words(code))), code_(code) {}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!more.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : more) out.push_back(cat(name, "=", value));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

pid_t start_process(ProcessStart what, std::span<const int> files) {
  const std::vector<char*> words = pointers(what.words), environment = pointers(what.environment);
  const pid_t child = launch({.path = what.path.c_str(),
                              .words = words.data(),
                              .environment = environment.data(),
                              .folder = what.folder.empty() ? nullptr : what.folder.c_str(),
                              .files = files,
                              .open_files = file_limit_before(),
                              .death_signal = what.death_signal,
                              .group = what.group,
                              .signals = what.signals});
  if (child > 0) return child;
  const int reason = errno;
  const std::string doing = cat("start ", printable(what.words.front(), 80),
                                what.folder.empty() ? "" : " in ", what.folder);
  if (NoMore::says(reason)) throw NoMore(doing, reason);
  throw StartFailure(doing, reason);
}

Spawned spawn(ProcessStart what, const Pipes& pipes) {
  Pipe input, output, errors;
  const std::array<int, 3> files{
      open_stream(pipes.input, STDIN_FILENO, input, input.write, input.read),
      open_stream(pipes.output, STDOUT_FILENO, output, output.read, output.write),
      open_stream(pipes.errors, STDERR_FILENO, errors, errors.read, errors.write)};
  const pid_t child = start_process(std::move(what), files);
  return {child, std::move(input.write), std::move(output.read), std::move(errors.read)};
}

}  // namespace base
