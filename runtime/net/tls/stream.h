// One connection over TLS 1.3 between two members of a gang, which never waits.
//
// Both sides show a certificate that the study's authority has signed; it signs for nobody else, so
// whoever has one is let in, as a client and as a server.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "runtime/net/transport.h"

struct ssl_st;
struct ssl_ctx_st;

namespace rt::net::tls {

struct ContextFreer {
  void operator()(ssl_ctx_st* context) const noexcept;
};
using Context = std::unique_ptr<ssl_ctx_st, ContextFreer>;

/// Returns what connections of this identity share. Throws base::Error (data) if it is damaged.
[[nodiscard]] Context make_context(const Identity& own);

class Stream {
 public:
  /// Takes a connected socket, or one that is connecting, which does not wait.
  Stream(ssl_ctx_st* context, base::File socket, bool dials);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
  /// Goes on with the handshake. Returns true when it is complete.
  bool shake();
  /// True if something waits for room in the socket.
  [[nodiscard]] bool waits_for_room() const noexcept { return waits_for_room_; }
  /// Why nothing comes or goes any more; empty while something may. What came before can still be
  /// taken.
  [[nodiscard]] const std::string& end() const noexcept { return end_.empty() ? cut_ : end_; }

  /// Sends as much of head, then body, as there is room for; see sums::Links::send().
  std::size_t write(std::span<const std::byte> head, std::span<const std::byte> body);
  /// Returns true if all that was written has gone to the socket.
  bool flush();
  /// Returns what has come: 4 bytes at least, or nothing. Valid until the next call.
  std::span<const std::byte> incoming();
  void take(std::size_t bytes) noexcept { first_ += bytes; }

 private:
  friend struct Sockets;
  std::size_t write_some(std::span<const std::byte> bytes);
  /// Notes what a call of OpenSSL that returned `code` waits for, or that the stream has ended.
  void note(int code, const char* doing);

  struct Freer {
    void operator()(ssl_st* ssl) const noexcept;
  };
  base::File socket_;
  std::unique_ptr<ssl_st, Freer> ssl_;
  bool waits_for_room_ = false;
  std::string end_, cut_;      ///< of what comes, of what goes
  std::size_t since_key_ = 0;  ///< bytes sent with this key
  /// What is encrypted and has not gone to the socket begins at gone_. Records go together: each
  /// call of the kernel costs as much as encrypting one.
  std::vector<char> out_;
  std::size_t gone_ = 0;
  /// What has come and was not taken is [first_, last_).
  std::vector<std::byte> come_;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace rt::net::tls
