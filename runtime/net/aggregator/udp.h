// Workers and switch over UDP on this machine's loopback, with losses on purpose.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "runtime/net/aggregator/layout.h"
#include "runtime/net/aggregator/switch.h"
#include "runtime/net/aggregator/worker.h"

namespace rt::net::aggregator {

/// Which share of the packets that a port sends is lost, by a stream of this seed.
struct Drop {
  double share = 0;
  std::uint64_t seed = 0;
};

/// A port of 127.0.0.1. Not thread-safe.
class UdpPort {
 public:
  /// A free port. Throws base::Error (storage).
  UdpPort();

  [[nodiscard]] std::uint16_t number() const noexcept { return number_; }
  void set_drop(const Drop& drop);

  /// Sends, or loses. A packet that the system does not take is lost, too.
  void send(const Packet& packet, const sockaddr_in& to);
  void send(const Packet& packet, std::uint16_t to);

  struct Arrived {
    Packet packet;
    sockaddr_in from;
  };
  /// Returns the next packet that has come; nothing if there is none. Datagrams that are no packets
  /// are skipped.
  [[nodiscard]] std::optional<Arrived> receive();
  /// Waits for a packet, at most for this time. A signal ends it early.
  void wait(base::Duration most) const;

  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  base::File socket_;
  std::uint16_t number_ = 0;
  double share_ = 0;
  base::Stream dice_{std::uint64_t{0}};
  std::uint64_t lost_ = 0;
};

/// Plays the switch at `port` until `stopped()`, which is asked every 20 ms. A worker's sums go to
/// the port from which its last packet came.
void serve(Switch& its, unsigned workers, UdpPort& port, const std::function<bool()>& stopped);

/// A worker at a port of its own. Not thread-safe.
class UdpWorker final : private Wire {
 public:
  UdpWorker(const Seat& seat, const Patience& patience, std::uint16_t switch_port,
            const Drop& drop);

  /// Returns the sum of all workers' values. Throws base::Error: data as Worker::sum(), storage if
  /// the switch says nothing for `silence`.
  [[nodiscard]] std::vector<float> sum(const Layout& layout, std::span<const float> values,
                                       base::Duration silence = std::chrono::seconds(10));

  [[nodiscard]] const Worker& worker() const noexcept { return worker_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return port_.lost(); }

 private:
  void send(const Packet& packet) override { port_.send(packet, switch_port_); }

  UdpPort port_;
  std::uint16_t switch_port_;
  Worker worker_;
};

}  // namespace rt::net::aggregator
