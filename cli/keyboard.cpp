#include "cli/keyboard.h"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>

#include "base/clock.h"

namespace cli {

namespace {

// What signal handlers touch. They run in any thread, while the keyboard lives.
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");
std::atomic<bool> is_raw{false};  // the terminal has our settings
std::atomic<bool> has_terminal{false};
std::atomic<bool> continued{false};
termios usual, raw;

/// Signals that end a process, or ask it to end.
constexpr std::array kEnding{SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGABRT, SIGSEGV, SIGBUS, SIGFPE,  SIGILL};
std::array<struct sigaction, kEnding.size()> before_ending;
struct sigaction before_stop, before_continue;

bool is_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

/// A process in the background that changes the terminal would be stopped for that; its shell has
/// put the terminal right already.
void set_terminal(const termios& settings, bool raw_now) {
  if (!has_terminal || !is_foreground()) return;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  is_raw = raw_now;
}

void restore() {
  if (is_raw.exchange(false)) set_terminal(usual, false);
}

void hand_on(int number, siginfo_t* info, void* context) {
  const auto found = std::ranges::find(kEnding, number);
  const struct sigaction& before = before_ending[static_cast<std::size_t>(found - kEnding.begin())];
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler == SIG_DFL) {
    ::signal(number, SIG_DFL);
    ::raise(number);
  } else if (before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  }
}

void on_end(int number, siginfo_t* info, void* context) {
  const int kept = errno;
  restore();
  hand_on(number, info, context);
  errno = kept;
}

/// Ctrl-Z: the shell gets the terminal as it was.
void on_terminal_stop(int) {
  const int kept = errno;
  restore();
  ::signal(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);
  errno = kept;
}

void catch_terminal_stop() {
  struct sigaction action {};
  action.sa_handler = on_terminal_stop;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTSTP, &action, nullptr);
}

void on_continue(int) {
  const int kept = errno;
  catch_terminal_stop();
  set_terminal(raw, true);
  continued = true;
  errno = kept;
}

void catch_signals() {
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &before_ending[i]);
    const bool ignored =
        (before_ending[i].sa_flags & SA_SIGINFO) == 0 && before_ending[i].sa_handler == SIG_IGN;
    if (ignored) continue;
    struct sigaction action = before_ending[i];
    action.sa_sigaction = on_end;
    action.sa_flags |= SA_SIGINFO | SA_RESTART;
    ::sigaction(kEnding[i], &action, nullptr);
  }
  ::sigaction(SIGTSTP, nullptr, &before_stop);
  // Who starts a process with SIGTSTP ignored wants it never to stop.
  if (before_stop.sa_handler != SIG_IGN) catch_terminal_stop();
  struct sigaction action {};
  action.sa_handler = on_continue;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, &before_continue);
}

}  // namespace

bool in_foreground(int fd) {
  const pid_t group = ::tcgetpgrp(fd);
  return group < 0 || group == ::getpgrp();
}

Keyboard::Keyboard() {
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &usual) != 0) return;
  raw = usual;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  has_terminal = true;
  continued = false;
  catch_signals();
  set_terminal(raw, true);
}

Keyboard::~Keyboard() {
  if (!has_terminal) return;
  restore();
  has_terminal = false;
  for (std::size_t i = 0; i < kEnding.size(); ++i)
    ::sigaction(kEnding[i], &before_ending[i], nullptr);
  ::sigaction(SIGTSTP, &before_stop, nullptr);
  ::sigaction(SIGCONT, &before_continue, nullptr);
}

bool Keyboard::works() const { return has_terminal && is_raw && is_foreground(); }

std::optional<char> Keyboard::pressed(double seconds) {
  constexpr double kMilliseconds = 1e3;
  if (!works()) {
    // It may come back to the foreground without having been stopped.
    if (seconds > 0) base::sleep_for(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
    return std::nullopt;
  }
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&input, 1, static_cast<int>(seconds * kMilliseconds)) < 1) return std::nullopt;
  char key = 0;
  if (::read(STDIN_FILENO, &key, 1) == 1) return key;
  // The terminal is gone: nothing comes any more, and nobody is to wait in a hurry.
  has_terminal = false;
  return std::nullopt;
}

bool Keyboard::went_on() { return continued.exchange(false); }

}  // namespace cli
