// The sums of a step, bucket by bucket: what the trainer of a member asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/net/sums/exchange.h"
#include "runtime/net/sums/schedule.h"

namespace rt::net::sums {

/// A tensor in the slab, by which a number that is not finite is named.
struct NamedPart {
  std::string name;
  std::size_t offset = 0, count = 0;
};

/// A gang, as one of its members sees it.
struct Membership {
  std::uint64_t epoch = 0;
  int shards = 1;  ///< of a batch
  Way way{};       ///< of fits(), for the members of the links and these shards; `exact`: for one
                   ///< shard a member
  bool exact = false;
  std::vector<NamedPart> tensors{};  ///< of the slab, in order; used if `exact`
};

/// Sums parts of a slab over the shards of all members. Every member begins the same parts in the
/// same order. Not thread-safe. If a method throws, this and the links are of no more use.
class BucketSums {
 public:
  BucketSums(Links& links, Membership membership);

  /// Begins the sum of elements [offset, offset + count) of the slab. `shards` has the gradient of
  /// each of this member's shards, as whole slabs; a member without shards gives one slab, which
  /// may hold anything. The sum replaces the part in the first one; the part of the others then
  /// holds anything. Nothing may touch the part until then.
  void begin(std::uint64_t step, std::uint32_t bucket, std::size_t offset, std::size_t count,
             std::vector<float*> shards);
  /// Does the same in two halves, between which others may be begun. After the first one, each
  /// element's sum is with one member; the second one gathers them. Exact sums are whole after the
  /// first half.
  void begin_reduce(std::uint64_t step, std::uint32_t bucket, std::size_t offset, std::size_t count,
                    std::vector<float*> shards);
  void begin_gather(std::uint64_t step, std::uint32_t bucket, std::size_t offset, std::size_t count,
                    float* first);
  /// Begins to add `words` up over the members, modulo 2^32, each for itself.
  void begin_words(std::uint64_t step, std::uint32_t bucket, std::span<std::uint32_t> words);

  /// See Exchange. They also throw base::Error (data) if a gradient of an exact sum is not finite,
  /// on all members, with the names of the tensors that its block has a part of.
  bool advance() { return exchange_.advance(); }
  void finish(std::size_t pending = 0, base::Duration patience = kPatience) {
    exchange_.finish(pending, patience);
  }
  [[nodiscard]] std::size_t pending() const noexcept { return exchange_.pending(); }
  [[nodiscard]] const Exchange& exchange() const noexcept { return exchange_; }

 private:
  struct Exact;
  /// The schedules of a length.
  struct Schedules {
    std::shared_ptr<const Schedule> whole, reduces, gathers;
  };
  [[nodiscard]] const Schedules& schedules_for(std::size_t count);
  /// Throws base::Error (internal) unless `shards` has this member's. They begin at the part then.
  void take_part(std::vector<float*>& shards, std::size_t offset) const;
  void begin_floats(const Tag& tag, std::shared_ptr<const Schedule> schedule,
                    const std::vector<float*>& shards, bool is_ready);
  /// begin() with one of the schedules, unless sums are exact.
  void begin_part(const Tag& tag, std::size_t offset, std::size_t count, std::vector<float*> shards,
                  std::shared_ptr<const Schedule> Schedules::*schedule);
  void begin_exact(const Tag& tag, std::size_t offset, std::size_t count,
                   const std::vector<float*>& shards);
  void check_finite(const Exact& sum) const;

  Links& links_;
  Membership membership_;
  Exchange exchange_;
  std::map<std::size_t, Schedules> schedules_;  ///< by elements
  std::map<std::size_t, std::shared_ptr<const Schedule>> of_words_;
};

}  // namespace rt::net::sums
