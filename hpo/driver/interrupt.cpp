#include "hpo/driver/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <utility>

#include "base/error.h"
#include "runtime/loop.h"

namespace hpo {

namespace {

static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may touch them");
std::atomic<int> requested{0};

/// One request may come as several signals: timeout(1) signals a process and then its group, a
/// scheduler a job and then its steps. What comes so soon behind the first asks for nothing more.
constexpr std::int64_t kOneRequest = 300;  ///< milliseconds
std::atomic<std::int64_t> first{0};        ///< milliseconds, of the first signal; 0: none

std::int64_t milliseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

void on_stop(int) {
  const std::int64_t here = milliseconds();
  std::int64_t begun = 0;
  if (first.compare_exchange_strong(begun, here)) {
    requested = 1;
    rt::wake();
  } else if (here - begun > kOneRequest) {
    ::_exit(base::exit_code(base::Errc::cancelled));
  }
}

struct Change {
  int signal;
  void (*handler)(int);
};
const std::array<Change, 6> kChanges{{{SIGINT, on_stop},
                                      {SIGTERM, on_stop},
                                      {SIGUSR1, on_stop},
                                      {SIGUSR2, on_stop},
                                      {SIGHUP, SIG_IGN},
                                      {SIGPIPE, SIG_IGN}}};

std::array<struct sigaction, kChanges.size()> before;

}  // namespace

Interrupts::Interrupts() {
  requested = 0;
  first = 0;
  for (std::size_t i = 0; i < kChanges.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kChanges[i].handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(kChanges[i].signal, &action, &before[i]);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kChanges.size(); ++i)
    ::sigaction(kChanges[i].signal, &before[i], nullptr);
}

const std::atomic<int>* Interrupts::asked() const noexcept { return &requested; }

}  // namespace hpo
