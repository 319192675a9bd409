#include "runtime/net/grpc/door.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace rt::net::grpc_transport {

namespace {

/// A guest has two descriptors, and one that was ended may have one for a moment. So all of them
/// take three eighths at most of those that the process may have.
std::size_t most_guests() {
  rlimit descriptors{};
  constexpr rlim_t kFewest = 16, kMost = 512;
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return kFewest;
  return std::clamp(descriptors.rlim_cur / 8, kFewest, kMost);
}

std::string name_of(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return base::cat(text, ":", ntohs(address.sin_port));
}

base::File listen_at(const std::string& at, sockaddr_in& own) {
  own.sin_family = AF_INET;
  socklen_t size = sizeof own;
  base::File made(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (::inet_pton(AF_INET, at.c_str(), &own.sin_addr) != 1 || !made ||
      ::bind(made.fd(), reinterpret_cast<const sockaddr*>(&own), size) != 0 ||
      ::listen(made.fd(), SOMAXCONN) != 0 ||
      ::getsockname(made.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    throw base::Error(base::Errc::storage, "no agent can reach this machine at " + at);
  return made;
}

/// poll() is to wake for the header of a record. gRPC sets the other two on connections that it
/// accepts itself.
void prepare(int connection) {
  const int on = 1;
  const unsigned unanswered = 2000;  // milliseconds
  const int header = 5;
  (void)::setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &header, sizeof header);
  (void)::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)::setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
}

enum class Speech : std::uint8_t { nonsense, unfinished, whole };

/// How far the first record of TLS has come. The socket wakes poll() when the rest has.
Speech speech_of(int connection) {
  constexpr std::size_t kHeader = 5, kMost = 16 << 10;
  constexpr unsigned char kHandshake = 0x16, kMajor = 3;
  std::array<unsigned char, kHeader> header{};
  if (::recv(connection, header.data(), kHeader, MSG_PEEK) != kHeader || header[0] != kHandshake ||
      header[1] != kMajor)
    return Speech::nonsense;
  const std::size_t size = std::size_t{header[3]} << 8 | header[4];
  if (size > kMost) return Speech::nonsense;
  int there = 0;
  if (::ioctl(connection, FIONREAD, &there) != 0) return Speech::nonsense;
  const bool whole = static_cast<std::size_t>(there) >= kHeader + size;
  const int rest = whole ? 1 : static_cast<int>(kHeader + size);
  (void)::setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &rest, sizeof rest);
  return whole ? Speech::whole : Speech::unfinished;
}

}  // namespace

Door::Door(const std::string& at) : most_(most_guests()) {
  sockaddr_in own{};
  listener_ = listen_at(at, own);
  address_ = base::cat(at, ":", ntohs(own.sin_port));
}

void Door::open(std::function<void(int)> take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { watch(); });
}

void Door::close() {
  if (!thread_.joinable()) return;
  closing_ = true;
  (void)::shutdown(listener_.fd(), SHUT_RDWR);  // wakes the thread
  thread_.join();
  (void)listener_.close();
}

void Door::wait_for(const std::string& peer) {
  const std::scoped_lock lock(mutex_);
  const auto at = std::find_if(guests_.begin(), guests_.end(),
                               [&](const Guest& guest) { return guest.peer == peer; });
  if (at == guests_.end()) return;
  at->end = base::now() + kStay;
}

void Door::keep(const std::string& peer) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(guests_, [&](const Guest& guest) { return guest.peer == peer; });
}

void Door::watch() {
  while (!closing_) {
    std::vector<pollfd> watched{{listener_.fd(), POLLIN, 0}};
    std::vector<std::uint64_t> numbers;
    int wait = -1;
    {
      const std::scoped_lock lock(mutex_);
      base::Moment next{INT64_MAX};
      for (const Guest& guest : guests_) {
        const short what = guest.theirs < 0 ? POLLIN | POLLRDHUP : 0;
        watched.push_back({guest.connection.fd(), what, 0});
        numbers.push_back(guest.number);
        next = std::min(next, guest.end);
      }
      if (!guests_.empty()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - base::now());
        wait = static_cast<int>(std::max<std::int64_t>(0, left.count()));
      }
    }
    (void)::poll(watched.data(), watched.size(), wait);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const short seen = watched[i + 1].revents;
      if (seen != 0) look_at(numbers[i], (seen & ~POLLIN) != 0);
    }
    end_late();
    if (watched.front().revents != 0 && !closing_) accept_all();
  }
}

/// A guest has said something, or leaves.
void Door::look_at(std::uint64_t number, bool leaves) {
  base::File theirs;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = std::find_if(guests_.begin(), guests_.end(),
                                 [&](const Guest& guest) { return guest.number == number; });
    if (at == guests_.end()) return;
    const Speech speech =
        leaves || at->theirs >= 0 ? Speech::nonsense : speech_of(at->connection.fd());
    if (speech == Speech::unfinished) return;
    if (speech == Speech::whole && has_room())
      theirs = base::File(::fcntl(at->connection.fd(), F_DUPFD_CLOEXEC, 0));
    if (!theirs) return end(at);
    at->theirs = theirs.fd();
    at->end = base::now() + kStay;
  }
  take_(theirs.release());
}

void Door::accept_all() {
  while (true) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    base::File connection(::accept4(listener_.fd(), reinterpret_cast<sockaddr*>(&from), &size,
                                    SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int code = errno;
    std::unique_lock lock(mutex_);
    if (!connection) {
      if (code != EMFILE && code != ENFILE) return;
      // The listener stays readable: do not spin until a descriptor is free.
      make_room();
      lock.unlock();
      return base::sleep_for(std::chrono::milliseconds(10));
    }
    prepare(connection.fd());
    if (guests_.size() >= most_) make_room();
    guests_.push_back(
        {++last_, "ipv4:" + name_of(from), base::now() + kSpeak, std::move(connection)});
  }
}

void Door::make_room() {
  const auto silent = std::find_if(guests_.begin(), guests_.end(),
                                   [](const Guest& guest) { return guest.theirs < 0; });
  if (!guests_.empty()) end(silent != guests_.end() ? silent : guests_.begin());
}

void Door::end_late() {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = base::now();
  while (true) {
    const auto late = std::find_if(guests_.begin(), guests_.end(),
                                   [&](const Guest& guest) { return guest.end <= now; });
    if (late == guests_.end()) return;
    end(late);
  }
}

/// Where gRPC has the connection too, it sees the end and closes its descriptor.
void Door::end(Guests::iterator guest) {
  struct stat file {};
  if (guest->theirs >= 0 && ::fstat(guest->connection.fd(), &file) == 0)
    ended_.push_back({guest->theirs, file.st_ino});
  (void)::shutdown(guest->connection.fd(), SHUT_RDWR);
  guests_.erase(guest);
}

/// Whether gRPC keeps up with the guests that are ended.
bool Door::has_room() {
  std::erase_if(ended_, [](const Ended& one) {
    struct stat file {};
    return ::fstat(one.theirs, &file) != 0 || file.st_ino != one.inode;
  });
  return ended_.size() < most_;
}

}  // namespace rt::net::grpc_transport
