// Where agents knock: accepts connections, and ends those that do not become links in time.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace rt::net::grpc_transport {

/// A connection is a guest until it is kept. gRPC gets a guest once it has said the whole first
/// record of TLS. The number of guests has a limit: one more ends the oldest that has said less, or
/// else the oldest.
class Door {
 public:
  /// Until the first record of TLS, which an agent sends with its first packet.
  static constexpr base::Duration kSpeak = std::chrono::milliseconds(800);
  /// From then on until a guest has begun a stream, for which it must have shown its certificate;
  /// and once more until its first frame. gRPC needs two round trips for the one and one for the
  /// other. An agent that was too slow knocks again.
  static constexpr base::Duration kStay = std::chrono::seconds(2);

  /// Listens on a port that the system chooses. Throws base::Error (storage) if `at` is no IPv4
  /// address of this machine.
  explicit Door(const std::string& at);
  ~Door() { close(); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// "host:port".
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Begins to accept. `take` gets guests for gRPC, owns them, and is called on the door's thread.
  void open(std::function<void(int connection)> take);
  /// The connection from that peer has begun a stream; `peer` as gRPC writes it:
  /// "ipv4:127.0.0.1:40000".
  void wait_for(const std::string& peer);
  /// Lets the connection from that peer stay.
  void keep(const std::string& peer);
  /// Accepts no more.
  void close();

 private:
  struct Guest {
    std::uint64_t number;
    std::string peer;
    base::Moment end;
    base::File connection;
    int theirs = -1;  ///< gRPC's descriptor of the same connection; -1: it has none
  };
  /// A guest that was ended and that gRPC may still have. Its descriptor may be another file's by
  /// now, and then has another inode.
  struct Ended {
    int theirs;
    ino_t inode;
  };

  using Guests = std::deque<Guest>;

  void watch();
  void look_at(std::uint64_t number, bool leaves);
  void accept_all();
  void make_room();
  void end(Guests::iterator guest);
  void end_late();
  [[nodiscard]] bool has_room();

  base::File listener_;
  std::string address_;
  const std::size_t most_;
  std::function<void(int)> take_;
  std::atomic<bool> closing_ = false;
  std::mutex mutex_;  ///< guards what follows
  Guests guests_;
  std::vector<Ended> ended_;
  std::uint64_t last_ = 0;
  std::thread thread_;
};

}  // namespace rt::net::grpc_transport
