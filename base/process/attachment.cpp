#include "base/process/attachment.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace base {

namespace {

constexpr int kAttachmentLook = 50;  ///< milliseconds

/// Waits a moment for standard input; returns true if it has ended.
bool input_ends() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&input, 1, kAttachmentLook) <= 0) return false;
  std::array<char, 512> dropped{};
  return ::read(STDIN_FILENO, dropped.data(), dropped.size()) <= 0;
}

void watch(const std::stop_token& enough, pid_t parent, bool by_input,
           const std::function<void(const std::stop_token&)>& lost) {
  while (!enough.stop_requested()) {
    if (by_input ? input_ends() : ::poll(nullptr, 0, kAttachmentLook) > 0) return lost(enough);
    if (::getppid() != parent) return lost(enough);
  }
}

}  // namespace

Attachment::Attachment(bool by_input, std::function<void(const std::stop_token&)> lost,
                       pid_t parent)
    : watch_([parent, by_input, lost = std::move(lost)](const std::stop_token& enough) {
        watch(enough, parent, by_input, lost);
      }) {}

void die_with_parent(int signal, pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) (void)::raise(signal);
}

namespace {
const pid_t kFirstParent = ::getppid();
}  // namespace

pid_t first_parent() noexcept { return kFirstParent; }

}  // namespace base
