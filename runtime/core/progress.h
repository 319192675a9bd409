// How many nodes have begun and ended, and when the driver is woken for that.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/workers.h"

namespace rt::inline v0::detail {

class Progress {
 public:
  explicit Progress(const Workers& workers) noexcept : workers_(workers) {}

  /// Counts a node that will end. Driver thread only.
  void begin() noexcept { begun_.fetch_add(1); }
  /// Counts a node that ended on the calling thread, which is `here`'s. Returns true if the driver
  /// is to be woken for it. Any thread.
  [[nodiscard]] bool end(Worker& here) noexcept {
    here.ended.fetch_add(1);
    const std::uint64_t target = wake_at_.load();
    // With many workers only now and then: to add up what all of them ended takes a while.
    return target != 0 && (workers_.all().size() <= 9 || here.ended.load() % 16 == 0) &&
           workers_.ended() >= target;
  }
  /// Returns how many nodes have begun and not ended. Any thread.
  [[nodiscard]] std::uint64_t in_flight() const noexcept {
    return begun_.load() - workers_.ended();
  }

  /// From now on the driver is woken when at most `left` of the nodes that have begun are in
  /// flight. Driver thread only.
  void wake_at(std::uint64_t left) noexcept { wake_at_.store(begun_.load() - left); }
  /// From now on the driver is not woken for ends of nodes. Driver thread only.
  void wake_never() noexcept { wake_at_.store(0); }

 private:
  const Workers& workers_;
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> wake_at_{0};  ///< a number of ended nodes; 0: none
};

}  // namespace rt::inline v0::detail
