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
  /// True if the handshake, or the last write(), waits for room in the socket.
  [[nodiscard]] bool waits_for_room() const noexcept { return waits_for_room_; }
  /// Why nothing comes or goes any more; empty while something may.
  [[nodiscard]] const std::string& end() const noexcept { return end_; }

  /// Sends as much of head, then body, as there is room for; see sums::Links::send().
  std::size_t write(std::span<const std::byte> head, std::span<const std::byte> body);
  /// Returns what has come: 4 bytes at least, or nothing. Valid until the next call.
  std::span<const std::byte> incoming();
  void take(std::size_t bytes) noexcept { first_ += bytes; }

 private:
  std::size_t write_some(std::span<const std::byte> bytes);
  /// Notes what a call of OpenSSL that returned `code` waits for, or that the stream has ended.
  void note(int code, const char* doing);

  struct Freer {
    void operator()(ssl_st* ssl) const noexcept;
  };
  base::File socket_;
  std::unique_ptr<ssl_st, Freer> ssl_;
  bool waits_for_room_ = false;
  std::string end_;
  std::size_t since_key_ = 0;  ///< bytes sent with this key
  /// What has come and was not taken is [first_, last_).
  std::vector<std::byte> come_;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace rt::net::tls
