#pragma once
// What goes over a link between the first process of a gang and a member on another host: orders
// with their files, and notices.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "tasks/members/channel.h"

namespace tasks {

/// What two processes must have in common to compute the same bits.
struct Sameness {
  std::string build;       ///< what the program was built from
  std::string arithmetic;  ///< tasks::arithmetic()
};

}  // namespace tasks

namespace tasks::wire {

// --- from a member

/// The first message.
struct Greeting {
  std::uint64_t token = 0;  ///< of its seat; 0: any that is free
  std::string build;        ///< what its program was built from
  std::string arithmetic;   ///< what its results depend on besides
  std::string node;         ///< the name of its machine
};
struct NoticeSent {
  base::Bytes notice;
};
/// So many bytes of files have come.
struct Taken {
  std::uint64_t bytes = 0;
};
using FromMember = std::variant<Greeting, NoticeSent, Taken>;

// --- from the first process

/// The files follow in pieces.
struct OrderSent {
  base::Bytes order;
  std::vector<std::uint64_t> files;  ///< bytes of each; kHeld: the one that came last in its place
};
inline constexpr std::uint64_t kHeld = ~std::uint64_t{0};
struct Piece {
  base::Bytes bytes;
};
struct TurnedAway {
  std::string why;
};
using FromFirst = std::variant<OrderSent, Piece, TurnedAway>;

[[nodiscard]] base::Bytes bytes_of(const Notice& notice);
/// Throws base::Error (data).
[[nodiscard]] Notice notice_of(const NoticeSent& sent);

/// Orders on their way to a member. What it has not said to have taken is bounded, so that neither
/// side holds a whole data set beside its file. Not thread-safe.
class Sending {
 public:
  void add(Channel::Received order);
  /// Returns what may be sent next; nothing while it has to wait. Throws base::Error (storage).
  [[nodiscard]] std::optional<FromFirst> next();
  void taken(std::uint64_t bytes) { on_its_way_ -= std::min(bytes, on_its_way_); }

 private:
  struct Waiting {
    Channel::Received order;
    std::vector<std::uint64_t> sizes;
    bool begun = false;
    std::size_t file = 0;
    std::uint64_t sent = 0;  ///< of that file
  };
  [[nodiscard]] OrderSent head_of(Waiting& waiting);

  std::deque<Waiting> waiting_;
  std::uint64_t on_its_way_ = 0;
  std::optional<std::uint32_t> data_;  ///< the number of the data that the member holds
};

/// Orders as they come. Not thread-safe.
class Receiving {
 public:
  /// Takes a message. Throws base::Error: data for one that does not belong here, storage.
  void take(const OrderSent& sent);
  void take(const Piece& piece);
  /// Takes an order that is whole.
  [[nodiscard]] std::optional<Channel::Received> whole();

 private:
  void next_file();

  std::optional<Channel::Received> order_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t left_ = 0;  ///< of the file that comes
  base::File data_;         ///< the last one
};

}  // namespace tasks::wire
