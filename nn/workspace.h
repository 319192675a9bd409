#pragma once
// Memory that training and evaluation work in: one per worker, kept from task to task.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/network.h"
#include "nn/recorded_step.h"

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

/// One arena a kind of memory that only grows, and the plans of the networks met last. Default
/// constructible, movable; not thread-safe: one worker, one workspace. Contents never influence
/// results.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// At least `bytes` at a 64-byte aligned address of `memory`, valid until a call that asks for
  /// more there than any before; contents undefined. The address is the same until then.
  [[nodiscard]] std::byte* arena(std::size_t bytes, const kern::Memory& memory = kern::kOwnMemory);

  /// While one lives, arenas of `memory` lie in a block of somebody else's there, as far as it is
  /// large enough, and the workspace keeps nothing of that memory of its own. 64-byte aligned; one
  /// at a time.
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

  /// Memory of the workspace's own, lease or no lease, at the same address until somebody asks for
  /// more; contents undefined.
  [[nodiscard]] std::byte* kept(std::size_t bytes, const kern::Memory& memory);

  /// Returns the recorded step of trainings with that key, or an empty one to record. Valid until
  /// the next call.
  [[nodiscard]] RecordedStep& recorded(const StepKey& key);

  /// The order of an epoch's rows that was asked for last: most often that of the next stretch.
  [[nodiscard]] EpochRows& rows();

  /// A planned network for `spec`, made now or kept from an earlier call. Valid until the next
  /// call.
  [[nodiscard]] Network<float>& network(const ModelSpec& spec, const kern::Kernels<float>& kernels,
                                        int max_rows, Use use);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nn
