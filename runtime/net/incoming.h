// Contents on their way here, piece by piece.
#pragma once

#include <map>
#include <optional>

#include "runtime/net/messages.h"

namespace rt::net {

/// The contents that are fetched over one link. The receiver asks, so the sender needs to remember
/// nothing, and no more is under way than was asked for. Not thread-safe.
class Incoming {
 public:
  /// Begins to fetch; returns what to ask first, or nothing when it is under way already.
  [[nodiscard]] std::optional<Ask> begin(base::Key key);
  /// Forgets a content.
  void end(base::Key key) noexcept { open_.erase(key); }
  /// Those that have not come.
  [[nodiscard]] std::vector<base::Key> keys() const;
  [[nodiscard]] bool under_way(base::Key key) const noexcept { return open_.contains(key); }

  struct Step {
    std::optional<Ask> ask;            ///< to be sent
    std::optional<base::Bytes> whole;  ///< all of it
    bool wrong = false;                ///< pieces that do not belong together
  };
  /// Takes a piece. One that nobody asked for is ignored.
  [[nodiscard]] Step take(Give piece);

 private:
  struct Open {
    base::Bytes bytes;
    std::uint64_t asked = kAsked;  ///< up to here
    std::optional<std::uint64_t> total;
  };
  std::map<base::Key, Open> open_;
};

/// The pieces that answer an Ask, given the whole content.
[[nodiscard]] std::vector<Give> pieces_of(const Ask& ask, const base::Bytes& content);

}  // namespace rt::net
