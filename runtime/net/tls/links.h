// Links between the members of a gang over TLS.
#pragma once

#include <memory>
#include <vector>

#include "runtime/net/sums/links.h"
#include "runtime/net/tls/stream.h"

namespace rt::net::tls {

class TlsLinks final : public sums::Links {
 public:
  /// Takes a stream for each member, null for the own one. The handshakes are complete.
  TlsLinks(int own, std::vector<std::unique_ptr<Stream>> streams);

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
};

}  // namespace rt::net::tls
