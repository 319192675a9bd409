#pragma once
// Contents that pass through the driver on their way from one agent to others.

#include <cstdint>
#include <deque>
#include <memory>
#include <set>

#include "base/bytes.h"
#include "base/hash.h"

namespace rt::net {

/// Those that passed lately, and those that somebody reads: who has had a part of a content will
/// ask for the next one, and it would have to come from its agent anew, from the beginning. Not
/// thread-safe.
class Relayed {
 public:
  using Blob = std::shared_ptr<const base::Bytes>;

  /// `idle`: bytes that are kept of contents that nobody reads; `most`: of all.
  Relayed(std::uint64_t idle, std::uint64_t most) : idle_(idle), most_(most) {}

  void add(base::Key key, Blob content);
  /// Null where it is not kept.
  [[nodiscard]] Blob find(base::Key key) const;
  /// That agent was given a part; `more`: it will ask for the rest.
  void gave(base::Key key, std::uint32_t agent, bool more);
  /// That agent reads no more.
  void left(std::uint32_t agent);

 private:
  struct Passing {
    base::Key key;
    Blob content;
    std::set<std::uint32_t> readers{};
  };
  void shrink();

  std::uint64_t idle_, most_;
  std::deque<Passing> all_;  ///< the oldest first
};

}  // namespace rt::net
