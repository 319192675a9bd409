#include "runtime/net/aggregator/udp.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/text.h"

namespace rt::net::aggregator {
namespace {

sockaddr_in at_loopback(std::uint16_t port) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A burst of all workers' slots should fit. The system grants what it may; more is lost, and sent
/// again.
void enlarge_buffer(int socket) noexcept {
  const int bytes = 8 << 20;
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0) return;
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

}  // namespace

UdpPort::UdpPort() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = at_loopback(0);
  socklen_t size = sizeof address;
  if (!socket_ || ::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw base::Error(base::Errc::storage,
                      "no UDP port of 127.0.0.1 can be opened: " + base::errno_words(errno));
  }
  enlarge_buffer(socket_.fd());
  number_ = ntohs(address.sin_port);
}

void UdpPort::set_drop(const Drop& drop) {
  share_ = drop.share;
  dice_ = base::Stream(drop.seed, "drop");
}

void UdpPort::send(const Packet& packet, const sockaddr_in& to) {
  if (share_ > 0 && dice_.uniform() < share_) {
    ++lost_;
    return;
  }
  std::array<std::byte, kMostPacketBytes> bytes;
  const std::size_t size = encode(packet, bytes);
  (void)::sendto(socket_.fd(), bytes.data(), size, 0, reinterpret_cast<const sockaddr*>(&to),
                 sizeof to);
}

void UdpPort::send(const Packet& packet, std::uint16_t to) { send(packet, at_loopback(to)); }

std::optional<UdpPort::Arrived> UdpPort::receive() {
  std::array<std::byte, kMostPacketBytes + 1> bytes;  // a byte more shows datagrams that are longer
  while (true) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t size = ::recvfrom(socket_.fd(), bytes.data(), bytes.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (auto packet = decode(std::span(bytes).first(static_cast<std::size_t>(size)))) {
      return Arrived{std::move(*packet), from};
    }
  }
}

void UdpPort::wait(base::Duration most) const {
  pollfd here{socket_.fd(), POLLIN, 0};
  timespec time{};
  const auto nanos = std::max<std::int64_t>(most.count(), 0);
  time.tv_sec = nanos / 1'000'000'000;
  time.tv_nsec = nanos % 1'000'000'000;
  (void)::ppoll(&here, 1, &time, nullptr);
}

void serve(Switch& its, unsigned workers, UdpPort& port, const std::function<bool()>& stopped) {
  constexpr auto kAsk = std::chrono::milliseconds(20);
  std::vector<sockaddr_in> addresses(workers);
  while (!stopped()) {
    port.wait(kAsk);
    while (const auto arrived = port.receive()) {
      const Packet& term = arrived->packet;
      const std::uint64_t dropped = its.dropped();
      const Switch::Answer answer = its.receive(term);
      if (its.dropped() != dropped) continue;
      addresses[term.worker] = arrived->from;
      if (answer.to == Switch::To::sender) port.send(answer.sum, arrived->from);
      if (answer.to != Switch::To::everybody) continue;
      for (const sockaddr_in& address : addresses) port.send(answer.sum, address);
    }
  }
}

UdpWorker::UdpWorker(const Seat& seat, const Patience& patience, std::uint16_t switch_port,
                     const Drop& drop)
    : switch_port_(switch_port), worker_(seat, patience, *this) {
  port_.set_drop(drop);
}

std::vector<float> UdpWorker::sum(const Layout& layout, std::span<const float> values,
                                  base::Duration silence) {
  worker_.begin(layout, values, base::now());
  base::Moment heard = base::now();
  while (!worker_.done()) {
    const base::Moment before = base::now();
    port_.wait(worker_.due().value_or(before) - before);
    const base::Moment now = base::now();
    while (const auto arrived = port_.receive()) {
      worker_.receive(arrived->packet, now);
      heard = now;
    }
    worker_.resend(now);
    if (now - heard > silence) {
      throw base::Error(base::Errc::storage,
                        base::cat("no answer from the switch at 127.0.0.1:", switch_port_, " for ",
                                  base::format_seconds(base::seconds(silence)),
                                  "; expected a switch and all workers to run"));
    }
  }
  const std::span<const float> sum = worker_.sum();
  return {sum.begin(), sum.end()};
}

}  // namespace rt::net::aggregator
