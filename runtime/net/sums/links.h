// The links between the members of a gang, as one of them sees them: a stream of bytes in each
// direction to each other member. Shared memory (ring_links.h) and TLS (runtime/net/tls/) are two
// kinds of links.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace rt::net::sums {

/// A member is not there any more, or does not speak as agreed.
class LinkLost : public base::Error {
 public:
  LinkLost(int peer, const std::string& why);
  [[nodiscard]] int peer() const noexcept { return peer_; }

 private:
  int peer_;
};

/// Not thread-safe. Every method may throw LinkLost, but never before everything has been taken
/// that the peer sent before it left.
class Links {
 public:
  virtual ~Links() = default;
  [[nodiscard]] virtual int members() const noexcept = 0;
  [[nodiscard]] virtual int own() const noexcept = 0;

  /// Sends as much of `head`, then `body`, as there is room for, and returns how many bytes that
  /// was. Never waits. What was not sent must be sent next.
  virtual std::size_t send(int peer, std::span<const std::byte> head,
                           std::span<const std::byte> body) = 0;
  /// Returns true if all that send() took for the peer is on its way. Else wait() for room, and
  /// call it again.
  virtual bool flush(int peer) = 0;
  /// Returns what has come from the peer and was not taken: at least 4 bytes, or nothing. The
  /// bytes stay until the next call for that peer. They begin at a multiple of 4 bytes of memory
  /// if all that was taken before was a multiple of 4 bytes.
  virtual std::span<const std::byte> incoming(int peer) = 0;
  virtual void take(int peer, std::size_t bytes) = 0;
  /// Waits until something has come from one of `from`, or there is room for one of `to`, or one of
  /// them is lost, or the time is over. May return early.
  virtual void wait(std::span<const int> from, std::span<const int> to, base::Duration most) = 0;
};

}  // namespace rt::net::sums
