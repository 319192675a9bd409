#include "hpo/driver/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/loop.h"

namespace hpo {

namespace {

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch it");
std::atomic<int> asked{0};

void on_stop(int) {
  if (asked.fetch_add(1) > 0) ::_exit(rt::exit_code(rt::Errc::cancelled));
  rt::wake();
}

struct Change {
  int signal;
  void (*handler)(int);
};
const std::array<Change, 4> kChanges{
    {{SIGINT, on_stop}, {SIGTERM, on_stop}, {SIGHUP, SIG_IGN}, {SIGPIPE, SIG_IGN}}};

std::array<struct sigaction, 4> before;

}  // namespace

Interrupts::Interrupts() {
  asked = 0;
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

const std::atomic<int>* Interrupts::count() const noexcept { return &asked; }

}  // namespace hpo
