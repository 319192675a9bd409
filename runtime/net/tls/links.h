// Links between the members of a gang over TLS.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/net/sums/links.h"
#include "runtime/net/tls/stream.h"

namespace rt::net::tls {

/// The sockets of links that are there, for a thread that ends them. Thread-safe.
class OpenSockets {
 public:
  /// Forgets what was cut before.
  void clear();
  void are(std::vector<int> sockets);
  /// Nothing comes or goes any more, on those that are there and on those to come until clear().
  /// Who has the links learns it from them.
  void cut() noexcept;
  [[nodiscard]] bool is_cut() const;

 private:
  void end_all() const noexcept;

  mutable std::mutex mutex_;
  std::vector<int> sockets_;
  bool cut_ = false;
};

class TlsLinks final : public sums::Links {
 public:
  /// Takes a stream for each member, null for the own one. The handshakes are complete. `open`
  /// knows their sockets for as long as they are there.
  TlsLinks(int own, std::vector<std::unique_ptr<Stream>> streams,
           std::shared_ptr<OpenSockets> open = std::make_shared<OpenSockets>());
  ~TlsLinks() override;
  TlsLinks(const TlsLinks&) = delete;
  TlsLinks& operator=(const TlsLinks&) = delete;

  [[nodiscard]] int members() const noexcept override { return static_cast<int>(streams_.size()); }
  [[nodiscard]] int own() const noexcept override { return own_; }
  std::size_t send(int peer, std::span<const std::byte> head,
                   std::span<const std::byte> body) override;
  bool flush(int peer) override;
  std::span<const std::byte> incoming(int peer) override;
  void take(int peer, std::size_t bytes) override;
  void wait(std::span<const int> from, std::span<const int> to, base::Duration most) override;

 private:
  [[nodiscard]] Stream& stream(int peer) { return *streams_[static_cast<std::size_t>(peer)]; }

  int own_;
  bool spins_;  ///< true if each member on this machine can have a core
  std::vector<std::unique_ptr<Stream>> streams_;
  std::shared_ptr<OpenSockets> open_;
};

}  // namespace rt::net::tls
