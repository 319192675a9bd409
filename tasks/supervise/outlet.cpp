#include "tasks/supervise/outlet.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tasks/supervise/lines.h"

namespace tasks {

namespace {

/// Of a terminal that nobody looks at: wide enough for a progress bar with its numbers.
constexpr winsize kWindow{.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};

constexpr std::size_t kLongestPath = 4096;
using PathText = std::array<char, kLongestPath>;

/// Reads a symbolic link of /proc; false where there is none, or it is too long.
bool read_link(const char* link, PathText& text) {
  const ssize_t length = ::readlink(link, text.data(), text.size() - 1);
  if (length <= 0 || static_cast<std::size_t>(length) >= text.size() - 1) return false;
  text[static_cast<std::size_t>(length)] = '\0';
  return true;
}

/// Adds `more` behind what a variable has, with a colon between.
void add_to_variable(const char* name, const char* more) {
  const char* before = ::getenv(name);
  if (before == nullptr || *before == '\0') {
    ::setenv(name, more, 1);
    return;
  }
  std::array<char, 2 * kLongestPath> both{};
  const int length = std::snprintf(both.data(), both.size(), "%s:%s", before, more);
  if (length > 0 && static_cast<std::size_t>(length) < both.size()) ::setenv(name, both.data(), 1);
}

/// The library that is loaded into the program, beside this executable. False: it is not there, or
/// its path cannot stand in a list of libraries.
bool find_library(PathText& path) {
  if (!read_link("/proc/self/exe", path)) return false;
  char* const slash = std::strrchr(path.data(), '/');
  if (slash == nullptr) return false;
  const std::size_t left = path.size() - static_cast<std::size_t>(slash + 1 - path.data());
  if (sizeof kLinesLibrary > left) return false;
  std::memcpy(slash + 1, kLinesLibrary, sizeof kLinesLibrary);
  return std::strpbrk(path.data(), ": $") == nullptr && ::access(path.data(), R_OK) == 0;
}

/// What prints by C's stdio does so by lines where its output is this pipe. Other pipes, such as
/// those inside of a shell's pipeline, stay as fast as they are.
void ask_for_lines(int pipe) {
  ::setenv("PYTHONUNBUFFERED", "1", 0);
  std::array<char, 64> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", pipe);
  PathText name, library;
  if (!read_link(link.data(), name) || !find_library(library)) return;
  ::setenv(kLinesVariable, name.data(), 1);
  add_to_variable("LD_PRELOAD", library.data());
  // AddressSanitizer ends a program into which anything was loaded before its own library.
  add_to_variable("ASAN_OPTIONS", "verify_asan_link_order=0");
}

Outlet open_terminal() {
  Outlet made;
  made.ours = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (made.ours < 0) return made;
  int unlocked = 0;
  if (::ioctl(made.ours, TIOCSPTLCK, &unlocked) != 0) return made;
  made.theirs = ::ioctl(made.ours, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (made.theirs < 0) return made;
  termios settings{};
  if (::tcgetattr(made.theirs, &settings) == 0) {
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // a line ends as the program ends it
    (void)::tcsetattr(made.theirs, TCSANOW, &settings);
  }
  (void)::ioctl(made.theirs, TIOCSWINSZ, &kWindow);
  return made;
}

}  // namespace

Outlet open_outlet(ProgramOutput output) {
  if (output == ProgramOutput::terminal) return open_terminal();
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  if (output == ProgramOutput::lines) ask_for_lines(pipe[1]);
  return {pipe[0], pipe[1]};
}

}  // namespace tasks
