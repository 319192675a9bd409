#include "runtime/net/tls/links.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace rt::net::tls {

namespace {

/// Times that poll() is asked before it is to sleep, about 20 us: being woken takes as long.
constexpr int kLooks = 30;

/// Returns true if what was sent has been sent again so often that about three seconds have passed
/// without an acknowledgement. A machine whose process reads nothing acknowledges all the same.
bool is_silent(int socket) {
  constexpr int kMostTimes = 4;  // the waits in between double, from a fifth of a second on
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  return info.tcpi_retransmits >= kMostTimes || info.tcpi_probes >= kMostTimes;
}

}  // namespace

void OpenSockets::clear() {
  const std::lock_guard lock(mutex_);
  sockets_.clear();
  cut_ = false;
}

void OpenSockets::are(std::vector<int> sockets) {
  const std::lock_guard lock(mutex_);
  sockets_ = std::move(sockets);
  if (cut_) end_all();
}

void OpenSockets::cut() noexcept {
  const std::lock_guard lock(mutex_);
  cut_ = true;
  end_all();
}

void OpenSockets::end_all() const noexcept {
  for (const int socket : sockets_) (void)::shutdown(socket, SHUT_RDWR);
}

bool OpenSockets::is_cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

TlsLinks::TlsLinks(int own, std::vector<std::unique_ptr<Stream>> streams,
                   std::shared_ptr<OpenSockets> open)
    : own_(own),
      spins_(std::thread::hardware_concurrency() >= streams.size()),
      streams_(std::move(streams)),
      open_(std::move(open)) {
  std::vector<int> sockets;
  for (const auto& stream : streams_)
    if (stream) sockets.push_back(stream->fd());
  open_->are(std::move(sockets));
}

TlsLinks::~TlsLinks() { open_->are({}); }

std::size_t TlsLinks::send(int peer, std::span<const std::byte> head,
                           std::span<const std::byte> body) {
  const std::size_t sent = stream(peer).write(head, body);
  if (sent == 0 && !stream(peer).end().empty() && incoming(peer).empty())
    throw sums::LinkLost(peer, stream(peer).end());
  return sent;
}

bool TlsLinks::flush(int peer) {
  const bool sent = stream(peer).flush();
  if (!sent && !stream(peer).end().empty() && incoming(peer).empty())
    throw sums::LinkLost(peer, stream(peer).end());
  return sent;
}

std::span<const std::byte> TlsLinks::incoming(int peer) {
  const std::span<const std::byte> come = stream(peer).incoming();
  if (come.empty() && !stream(peer).end().empty()) throw sums::LinkLost(peer, stream(peer).end());
  return come;
}

void TlsLinks::take(int peer, std::size_t bytes) { stream(peer).take(bytes); }

void TlsLinks::wait(std::span<const int> from, std::span<const int> to, base::Duration most) {
  std::vector<pollfd> watched;
  for (const int peer : from) watched.push_back({stream(peer).fd(), POLLIN, 0});
  for (const int peer : to)
    watched.push_back(
        {stream(peer).fd(), static_cast<short>(stream(peer).waits_for_room() ? POLLOUT : 0), 0});
  for (int i = 0; spins_ && i < kLooks; ++i)
    if (::poll(watched.data(), watched.size(), 0) != 0) return;
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  const int events = ::poll(watched.data(), watched.size(),
                            static_cast<int>(std::clamp<std::int64_t>(limit, 0, 1'000)));
  if (events != 0) return;
  for (const std::span<const int> peers : {from, to}) {
    for (const int peer : peers)
      if (is_silent(stream(peer).fd())) throw sums::LinkLost(peer, "its machine does not answer");
  }
}

}  // namespace rt::net::tls
