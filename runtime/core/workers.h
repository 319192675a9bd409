// The workers of a runtime by number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/core/thread.h"
#include "runtime/core/worker.h"

namespace rt::inline v0::detail {

class Backend;
class Records;

/// The table never changes. Any thread.
class Workers {
 public:
  /// Makes one for each worker of the executor, those for CPUs first, and one for all other
  /// threads. Each gets a lane in the trace. TRELLIS_SLOW_WORKER makes one of them slower.
  Workers(const Backend& backend, Records& records);

  /// Returns the executor's worker of that number, from 0 on.
  [[nodiscard]] Worker& at(unsigned number) const noexcept { return *all_[number]; }
  /// Returns the one for threads that are no workers, such as the driver's.
  [[nodiscard]] Worker& others() const noexcept { return *all_.back(); }
  /// Returns the calling thread's.
  [[nodiscard]] Worker& here() const noexcept {
    return this_thread().worker != nullptr ? *this_thread().worker : others();
  }
  /// Returns the executor's workers by number, then the one for all other threads.
  [[nodiscard]] std::span<const std::unique_ptr<Worker>> all() const noexcept { return all_; }
  /// Returns the executor's workers by number.
  [[nodiscard]] std::span<const std::unique_ptr<Worker>> executors() const noexcept {
    return all().first(all_.size() - 1);
  }

  /// Returns how many nodes have ended.
  [[nodiscard]] std::uint64_t ended() const noexcept;
  /// Returns how many nodes the executor has and has not run to their end.
  [[nodiscard]] std::uint64_t with_executor() const noexcept;

 private:
  std::vector<std::unique_ptr<Worker>> all_;
};

}  // namespace rt::inline v0::detail
