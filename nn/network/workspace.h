#pragma once
// Memory that training and evaluation work in: one per worker, kept from task to task.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/network/network.h"
#include "nn/training/recorded_step.h"

namespace nn {

/// Rows of an epoch of training.
struct EpochRows {
  std::uint64_t shuffle = 0;
  std::int64_t epoch = -1;
  std::size_t rows = 0, replayed = 0;  ///< of the data
  /// Of the epoch: places in DataView::rows, or behind these in DataView::replayed.
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> some;  ///< to fill
};

/// Memory for one worker: an arena for each kind of memory, which only grows, the last planned
/// networks and recorded steps, and the order of rows. Not thread-safe. Contents never influence
/// results.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Returns a 64-byte aligned address of at least `bytes` bytes in `memory`, contents undefined.
  /// It stays valid, and the same, until a call asks for more bytes there than any call before.
  [[nodiscard]] std::byte* arena(std::size_t bytes, const kern::Memory& memory = kern::kOwnMemory);

  /// While a lease lives, arenas of `memory` lie in the caller's block if it is large enough, and
  /// the workspace keeps no such memory of its own. The block is 64-byte aligned. At most one lease
  /// lives at a time.
  class Lease {
   public:
    Lease(Workspace& workspace, const kern::Memory& memory, std::span<std::byte> block);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    Workspace& workspace_;
    const kern::Memory& memory_;
  };

  /// Returns memory of the workspace's own, with or without a lease, contents undefined. The
  /// address is the same until a call asks for more bytes.
  [[nodiscard]] std::byte* kept(std::size_t bytes, const kern::Memory& memory);

  /// Returns the recorded step of trainings with that key, or an empty one to record. Valid until
  /// the next call.
  [[nodiscard]] RecordedStep& recorded(const StepKey& key);

  /// Returns the order of the last epoch's rows, which is often that of the next segment.
  [[nodiscard]] EpochRows& rows();

  /// Returns a planned network for `spec`, made now or kept from an earlier call. Valid until the
  /// next call.
  [[nodiscard]] Network<float>& network(const ModelSpec& spec, const kern::Kernels<float>& kernels,
                                        int max_rows, Use use);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nn
