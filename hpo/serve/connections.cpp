#include "hpo/serve/connections.h"

#include <sys/socket.h>

namespace hpo::serve {

namespace {

constexpr std::size_t kMost = 64;
/// Threads of connections that were told to go may take a moment.
constexpr std::size_t kSlack = 8;
constexpr base::Duration kLeaving = std::chrono::milliseconds(500);

}  // namespace

void Connections::add(int socket) {
  const std::lock_guard lock(mutex_);
  open_[socket] = {.since = base::now()};
  if (closing_) ::shutdown(socket, SHUT_RDWR);
}

void Connections::remove(int socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

void Connections::set_busy(int socket, bool busy) {
  const std::lock_guard lock(mutex_);
  open_[socket] = {.since = base::now(), .busy = busy};
}

bool Connections::begin_thread() {
  std::unique_lock lock(mutex_);
  if (closing_) return false;
  if (threads_ >= kMost) {
    auto oldest = open_.end();
    for (auto one = open_.begin(); one != open_.end(); ++one) {
      if (one->second.busy) continue;
      if (oldest == open_.end() || one->second.since < oldest->second.since) oldest = one;
    }
    if (oldest == open_.end()) return false;
    ::shutdown(oldest->first, SHUT_RDWR);
    oldest->second.busy = true;  // it goes: another one is next
    if (!ended_.wait_for(lock, kLeaving, [&] { return threads_ < kMost + kSlack; })) return false;
  }
  ++threads_;
  return true;
}

void Connections::end_thread() {
  const std::lock_guard lock(mutex_);
  --threads_;
  ended_.notify_all();
}

bool Connections::end(base::Duration patience) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  for (const auto& [socket, one] : open_) ::shutdown(socket, SHUT_RDWR);
  return ended_.wait_for(lock, patience, [&] { return threads_ == 0; });
}

bool Connections::is_closing() const {
  const std::lock_guard lock(mutex_);
  return closing_;
}

}  // namespace hpo::serve
