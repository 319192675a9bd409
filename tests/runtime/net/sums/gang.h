// A gang inside one process, whose members take turns, and the sums of one process to hold it
// against.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "runtime/net/sums/bucket_sums.h"
#include "runtime/net/sums/ring_links.h"
#include "runtime/net/sums/tree.h"

namespace sums_tests {

using Vector = std::vector<float>;

/// Gradients of so many shards, of very different sizes, so that nearly every order of additions
/// gives other bits.
inline std::vector<Vector> draw_shards(int shards, std::size_t count, std::uint64_t seed) {
  base::Stream stream(seed, "sums");
  std::vector<Vector> made(static_cast<std::size_t>(shards), Vector(count));
  for (Vector& shard : made)
    for (float& x : shard)
      x = std::ldexp(static_cast<float>(stream.normal()), static_cast<int>(stream.below(12)));
  return made;
}

/// The sum as one process computes it: nn::Trainer::add_up_wave().
inline Vector serial_sum(std::vector<Vector> shards) {
  const std::size_t n = shards.size();
  for (std::size_t width = 1; width < n; width *= 2)
    for (std::size_t left = 0; left + width < n; left += 2 * width)
      for (std::size_t i = 0; i < shards[left].size(); ++i)
        shards[left][i] += shards[left + width][i];
  return shards.front();
}

inline std::vector<std::uint32_t> bits_of(const Vector& values) {
  std::vector<std::uint32_t> bits;
  for (const float x : values) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return bits;
}

/// A member: its gradients, its links, its sums.
class Member {
 public:
  Member(const std::shared_ptr<rt::net::sums::Segment>& segment, int own,
         const rt::net::sums::Membership& membership, const std::vector<Vector>& shards)
      : links_(segment, own), sums_(links_, membership) {
    const auto range =
        rt::net::sums::shards_of(own, segment->members(), static_cast<int>(shards.size()));
    for (int i = range.first; i < range.last; ++i)
      gradients_.push_back(shards[static_cast<std::size_t>(i)]);
    if (gradients_.empty()) gradients_.emplace_back(shards.front().size(), 17.0F);
  }

  void begin(std::uint64_t step, std::uint32_t bucket, std::size_t offset, std::size_t count) {
    std::vector<float*> blocks;
    for (Vector& gradient : gradients_) blocks.push_back(gradient.data());
    sums_.begin(step, bucket, offset, count, blocks);
  }
  [[nodiscard]] rt::net::sums::BucketSums& sums() { return sums_; }
  [[nodiscard]] const Vector& result() const { return gradients_.front(); }

 private:
  rt::net::sums::RingLinks links_;
  rt::net::sums::BucketSums sums_;
  std::vector<Vector> gradients_;
};

/// All members of a gang. `capacity` is that of the rings: small ones take a sum apart.
class Gang {
 public:
  Gang(int members, const rt::net::sums::Membership& membership, const std::vector<Vector>& shards,
       std::size_t capacity = 256) {
    const auto segment = rt::net::sums::Segment::make(members, capacity);
    for (int i = 0; i < members; ++i)
      members_.push_back(std::make_unique<Member>(segment, i, membership, shards));
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] Member& operator[](std::size_t i) { return *members_[i]; }

  void begin(std::uint32_t bucket, std::size_t offset, std::size_t count) {
    for (const auto& member : members_) member->begin(1, bucket, offset, count);
  }
  /// Lets the members take turns in this order until all sums are there. Returns false if nothing
  /// moves any more.
  bool run(const std::vector<std::size_t>& order) {
    while (true) {
      bool moved = false, left = false;
      for (const std::size_t i : order) {
        moved = members_[i]->sums().advance() || moved;
        left = left || members_[i]->sums().pending() > 0;
      }
      if (!left) return true;
      if (!moved) return false;
    }
  }
  bool run() {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return run(order);
  }

 private:
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace sums_tests
