// How long a task takes for its counted work, learned from calls that ended.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rt::inline v0::detail {

/// Seconds for each unit of cost, kept apart by the size of the cost: a task on a small network
/// reaches another speed than on a large one, so after a reshape a task is learned anew. Any
/// thread.
class Pace {
 public:
  /// A call of that cost (> 0) took so long. The last eight or so of a size count.
  void learn(double cost, double seconds) noexcept {
    std::atomic<double>& known = paces_[slot(cost)];
    const double pace = seconds / cost, before = known.load(std::memory_order_relaxed);
    known.store(before > 0 ? before + (pace - before) / 8 : pace, std::memory_order_relaxed);
  }

  /// Seconds for each unit of the costs of one size.
  struct Known {
    std::uint8_t slot = 0;
    double pace = 0;
  };
  /// All that was learned.
  [[nodiscard]] std::vector<Known> known() const {
    std::vector<Known> all;
    for (std::uint8_t slot = 0; slot < kSlots; ++slot)
      if (const double pace = paces_[slot].load(std::memory_order_relaxed); pace > 0)
        all.push_back({slot, pace});
    return all;
  }
  /// What another run learned, of sizes that this one has not met. What is no pace is passed over.
  void recall(std::span<const Known> before) noexcept {
    for (const Known& one : before) {
      double nothing = 0;
      if (one.slot < kSlots && one.pace > 0 && std::isfinite(one.pace))
        paces_[one.slot].compare_exchange_strong(nothing, one.pace);
    }
  }

  /// Expected seconds of a call; by what is known of the nearest size, or by `fallback` seconds a
  /// unit of cost.
  [[nodiscard]] double expect(double cost, double fallback) const noexcept {
    if (cost <= 0) return 0;
    const int here = static_cast<int>(slot(cost));
    for (int away = 0; away < kSlots; ++away) {
      for (const int i : {here - away, here + away}) {
        if (i < 0 || i >= kSlots) continue;
        const double pace = paces_[static_cast<std::size_t>(i)].load(std::memory_order_relaxed);
        if (pace > 0) return cost * pace;
      }
    }
    return cost * fallback;
  }

 private:
  static constexpr int kSlots = 64;  ///< one for each power of two, from below 1 up

  static std::size_t slot(double cost) noexcept {
    return cost < 1 ? 0 : static_cast<std::size_t>(std::min(std::ilogb(cost) + 1, kSlots - 1));
  }

  std::array<std::atomic<double>, kSlots> paces_{};
};

}  // namespace rt::inline v0::detail
