// Random numbers that are a pure function of a name: Philox4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), keyed by content. The same stream gives the same numbers
// on every machine, compiler and worker count: only IEEE additions, multiplications, divisions and
// square roots are used, never libm or std:: distributions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/hash.h"

namespace base {

/// A sequence of random numbers named by a key. The key's high half is Philox's key, its low half
/// the upper half of the counter, so that two different keys never share a block. Period 2^66
/// numbers. Not thread-safe; copy it to fork the exact same future. One number costs 2-5 ns, a
/// normal one about 20 ns.
class Stream {
 public:
  explicit Stream(Key key) noexcept : key_(key) {}

  /// A stream named by a seed and a purpose, e.g. Stream(seed, "init", layer_id, step): texts,
  /// integers, keys.
  template <class... Purpose>
  explicit Stream(std::uint64_t seed, const Purpose&... purpose) noexcept
      : key_(name(seed, purpose...)) {}

  /// Next 32 random bits: Philox's output words in order.
  std::uint32_t u32() noexcept;
  /// Next 64 random bits: two 32-bit numbers, the first one low.
  std::uint64_t u64() noexcept;
  /// A double in [0, 1): the top 53 of 64 bits.
  double uniform() noexcept;
  /// A double in [low, high); `low` when both are equal.
  double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  /// Standard normal (Box-Muller; both numbers of a pair are used).
  double normal() noexcept;
  /// An integer in [0, n), without bias (Lemire's multiply and reject); n = 0 gives 0.
  std::uint64_t below(std::uint64_t n) noexcept;

  /// Puts the elements in random order (Fisher-Yates from the back).
  template <class T>
  void shuffle(std::span<T> items) noexcept {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  template <class... Purpose>
  static Key name(std::uint64_t seed, const Purpose&... purpose) noexcept {
    Hasher h;
    h.add("stream").add(seed);
    (h.add(purpose), ...);
    return h.finish();
  }
  void refill() noexcept;

  Key key_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  unsigned next_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// The bits of `x` well mixed: every bit of the result depends on every bit of `x`. The finaliser
/// of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Philox4x32-10 itself: one block of four words for a counter and a key (for known-answer tests
/// and bulk users).
[[nodiscard]] std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                                        std::array<std::uint32_t, 2> key) noexcept;

}  // namespace base
