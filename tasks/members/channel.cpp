#include "tasks/members/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "base/error.h"

namespace tasks {

namespace {

static_assert(std::is_trivially_copyable_v<Order> && std::is_trivially_copyable_v<Notice>);

/// Room for the numbers of files beside a message.
union FilesBeside {
  cmsghdr header;
  std::array<char, CMSG_SPACE(kOrderFiles * sizeof(int))> bytes;
};

std::vector<base::File> files_of(msghdr& message) {
  std::vector<base::File> files;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kOrderFiles> numbers{};
    const std::size_t bytes = std::min(one->cmsg_len - CMSG_LEN(0), sizeof numbers);
    std::memcpy(numbers.data(), CMSG_DATA(one), bytes);
    for (std::size_t i = 0; i < bytes / sizeof(int); ++i) files.emplace_back(numbers[i]);
  }
  return files;
}

bool send_bytes(const base::File& socket, std::span<const std::byte> bytes,
                std::span<const int> files) {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  FilesBeside beside{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = beside.bytes.data();
    message.msg_controllen = CMSG_SPACE(files.size_bytes());
    beside.header.cmsg_level = SOL_SOCKET;
    beside.header.cmsg_type = SCM_RIGHTS;
    beside.header.cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(&beside.header), files.data(), files.size_bytes());
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket.fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  // An end that takes nothing is full of what was sent before, and will be found silent.
  return sent >= 0 || errno == EAGAIN;
}

}  // namespace

std::pair<base::File, base::File> Channel::make() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw base::storage_error("make", "a socket for a gang", errno);
  return {base::File(ends[0]), base::File(ends[1])};
}

bool Channel::send(const Order& order, std::span<const int> files) const {
  return send_bytes(socket_, std::as_bytes(std::span(&order, 1)), files);
}

bool Channel::send_to(const base::File& socket, const Received& order) {
  std::vector<int> files;
  for (const base::File& file : order.files) files.push_back(file.fd());
  return send_bytes(socket, std::as_bytes(std::span(&order.order, 1)), files);
}

bool Channel::send_to(const base::File& socket, const Notice& notice) {
  return send_bytes(socket, std::as_bytes(std::span(&notice, 1)), {});
}

std::optional<Channel::Received> Channel::next_of(const base::File& socket) {
  Received received;
  iovec part{&received.order, sizeof received.order};
  FilesBeside beside{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = beside.bytes.data();
  message.msg_controllen = sizeof beside;
  ssize_t come = 0;
  do come = ::recvmsg(socket.fd(), &message, MSG_CMSG_CLOEXEC);
  while (come < 0 && errno == EINTR);
  if (come != static_cast<ssize_t>(sizeof received.order)) return std::nullopt;
  received.files = files_of(message);
  return received;
}

Channel::Got Channel::take_of(const base::File& socket, Notice& notice) {
  ssize_t come = 0;
  do come = ::recv(socket.fd(), &notice, sizeof notice, MSG_DONTWAIT);
  while (come < 0 && errno == EINTR);
  if (come == static_cast<ssize_t>(sizeof notice)) return Got::notice;
  return come < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Got::nothing : Got::end;
}

}  // namespace tasks
