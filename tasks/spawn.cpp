#include "tasks/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "runtime/base/text.h"
#include "tasks/launch.h"

namespace tasks {

namespace {

struct Pipe {
  rt::File read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  const bool made = ::pipe2(ends.data(), O_CLOEXEC) == 0;
  Pipe pipe;
  if (made) pipe = {rt::File(ends[0]), rt::File(ends[1])};
  if (!pipe.read || !pipe.write)
    throw rt::Error(rt::Errc::storage, rt::cat("cannot make a pipe: ", rt::errno_words(errno)));
  return pipe;
}

void dont_block(const rt::File& end) {
  ::fcntl(end.fd(), F_SETFL, ::fcntl(end.fd(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!more.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : more) out.push_back(rt::cat(name, "=", value));
  return out;
}

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

pid_t start_process(StartedProcess what) {
  const std::vector<char*> words = pointers(what.words), environment = pointers(what.environment);
  const pid_t child = launch({.path = what.path.c_str(),
                              .words = words.data(),
                              .environment = environment.data(),
                              .folder = what.folder.c_str(),
                              .files = what.files,
                              .death_signal = what.death_signal});
  if (child > 0) return child;
  const int reason = errno;
  const bool of_system = reason == EAGAIN || reason == ENOMEM || reason == EMFILE;
  throw rt::Error(of_system ? rt::Errc::storage : rt::Errc::study,
                  rt::cat("cannot start ", rt::printable(what.words.front(), 80), " in ",
                          what.folder, ": ", rt::errno_words(reason)));
}

Spawned spawn(const std::string& path, const std::vector<std::string>& words,
              const std::string& folder, const std::map<std::string, std::string>& environment) {
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe();
  const std::array<int, 3> streams{input.read.fd(), output.write.fd(), errors.write.fd()};
  const pid_t child = start_process({.path = path,
                                     .words = words,
                                     .environment = environment_with(environment),
                                     .folder = folder,
                                     .files = streams});
  for (const rt::File* end : {&input.write, &output.read, &errors.read}) dont_block(*end);
  return {child, std::move(input.write), std::move(output.read), std::move(errors.read)};
}

}  // namespace tasks
