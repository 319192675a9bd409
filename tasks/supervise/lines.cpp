// trellis-lines.so: loaded into the programs of a user before their own libraries. stdio keeps 4
// KiB of what goes into a pipe, so that reports would come when a program has ended. A process
// whose output is the pipe of the supervisor writes each line at once; all others are left alone.
//
// Needs nothing but symbols that any C library has had for twenty years: the program may run in a
// container with another one.

#include "tasks/supervise/lines.h"

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

bool are_equal(const char* name, const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    if (name[i] != text[i]) return false;
  }
  return name[length] == '\0';
}

[[gnu::constructor]] void print_by_lines() {
  const char* const pipe = ::getenv(tasks::kLinesVariable);
  if (pipe == nullptr) return;
  char output[64];
  const ssize_t length = ::readlink("/proc/self/fd/1", output, sizeof output);
  if (length <= 0 || static_cast<std::size_t>(length) == sizeof output) return;
  if (!are_equal(pipe, output, static_cast<std::size_t>(length))) return;
  (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace
