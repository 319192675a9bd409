#include "hpo/serve/wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "hpo/serve/fields.h"

namespace hpo::serve {

namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

int milliseconds_until(base::Moment until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - base::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 60'000));
}

/// Waits for one of the events; false when the time is over.
bool wait_for(int socket, short events, base::Moment until) {
  for (;;) {
    pollfd one{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&one, 1, milliseconds_until(until));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

std::string_view reason_of(int status) {
  switch (status) {
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
  }
}

}  // namespace

HeadState read_head(int socket, std::string& received, std::string& head, base::Duration patience) {
  const base::Moment until = base::now() + patience;
  for (;;) {
    const std::size_t end = received.find(kEnd);
    if (end != std::string::npos && end + kEnd.size() <= kLongestHead) {
      head = received.substr(0, end + kEnd.size());
      received.erase(0, head.size());
      return HeadState::whole;
    }
    if (received.size() >= kLongestHead) return HeadState::too_long;
    if (!wait_for(socket, POLLIN, until))
      return received.empty() ? HeadState::closed : HeadState::late;
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return HeadState::closed;
    received.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

bool send_all(int socket, std::string_view bytes, base::Duration patience) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, base::now() + patience)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool has_left(int socket) {
  pollfd one{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void end_gently(int socket) {
  constexpr std::size_t kMost = 65'536;
  ::shutdown(socket, SHUT_WR);
  const base::Moment until = base::now() + std::chrono::milliseconds(200);
  std::array<char, 4096> bytes;
  for (std::size_t taken = 0; taken < kMost && wait_for(socket, POLLIN, until);) {
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    taken += static_cast<std::size_t>(count);
  }
}

std::string local_address(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(socket, any, &size) != 0) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      address.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(any)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(any)->sin_addr;
  if (::inet_ntop(address.ss_family, bytes, text.data(), text.size()) == nullptr) return "";
  std::string out = text.data();
  constexpr std::string_view kMapped = "::ffff:";
  return out.starts_with(kMapped) ? out.substr(kMapped.size()) : out;
}

std::string refusal_text(const Refusal& refusal) {
  std::string out = base::cat("HTTP/1.1 ", refusal.status, " ", reason_of(refusal.status), "\r\n");
  for (const auto& [name, value] : common_fields()) out += base::cat(name, ": ", value, "\r\n");
  if (refusal.status == 405) out += "Allow: GET, HEAD\r\n";
  return base::cat(out, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: ",
                   refusal.why.size() + 1, "\r\nConnection: close\r\n\r\n", refusal.why, "\n");
}

}  // namespace hpo::serve
