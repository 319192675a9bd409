#pragma once
// What the first process of a gang and another member say to each other besides sums: orders and
// notices, over a socket of which each has one end.

#include <sys/types.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/net/sums/schedule.h"
#include "tasks/member_use.h"

namespace tasks {

/// Files that go along with an order at most.
constexpr std::size_t kOrderFiles = 2;

/// Room for the address of a place, and a null behind it.
constexpr std::size_t kAddress = 96;

/// What the first process says.
struct Order {
  enum class Kind : std::uint32_t {
    train,    ///< a training begins, or runs already; files: the job, the data
    halt,     ///< the members of this epoch change
    members,  ///< these are the members from now on; files: as the place needs (places.h)
    over,     ///< the training is over
  };
  Kind kind = Kind::halt;
  std::uint32_t training = 0;     ///< its number
  std::uint32_t data_number = 0;  ///< of train: changes with the data
  std::uint64_t epoch = 0;
  // Of members:
  std::uint32_t members = 0, own = 0, source = 0;
  std::int64_t done = 0;  ///< steps that the source has done
  std::uint32_t stopping = 0;
  std::bitset<rt::net::sums::kMostMembers> behind{};  ///< who copies the source's point
  std::array<char, kAddress> address{};               ///< of the place
};

/// What another process says.
struct Notice {
  enum class Kind : std::uint32_t {
    here,   ///< it has begun
    alive,  ///< now and then
    ready,  ///< it has done so many steps of the training and waits for members
    left,   ///< it takes no more part in the training
  };
  Kind kind = Kind::here;
  std::uint32_t training = 0;
  std::int64_t done = 0;                 ///< -1: it has not even the network
  MemberUse use{};                       ///< since its process began
  std::array<char, kAddress> address{};  ///< of its door; empty: it has none
};

/// An end with one socket. Messages come whole and in order. send() is thread-safe, and never waits
/// for room that the other end does not make. The functions with a socket are for whoever carries
/// messages from one to another.
class Channel {
 public:
  explicit Channel(base::File socket) : socket_(std::move(socket)) {}
  /// Two ends. Throws base::Error (storage).
  [[nodiscard]] static std::pair<base::File, base::File> make();

  [[nodiscard]] int fd() const noexcept { return socket_.fd(); }

  /// Returns false if the other end is gone.
  bool send(const Order& order, std::span<const int> files = {}) const;
  bool send(const Notice& notice) const { return send_to(socket_, notice); }

  /// Waits for an order. None: the other end is gone.
  struct Received {
    Order order;
    std::vector<base::File> files;
  };
  [[nodiscard]] std::optional<Received> next_order() const { return next_of(socket_); }
  [[nodiscard]] static std::optional<Received> next_of(const base::File& socket);

  enum class Got : std::uint8_t { notice, nothing, end };
  /// Takes a notice that is there already.
  [[nodiscard]] Got take(Notice& notice) const { return take_of(socket_, notice); }
  [[nodiscard]] static Got take_of(const base::File& socket, Notice& notice);

  static bool send_to(const base::File& socket, const Received& order);
  static bool send_to(const base::File& socket, const Notice& notice);

 private:
  base::File socket_;
};

}  // namespace tasks
