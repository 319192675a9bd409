// From a launch to a StarPU task and back to its worker: what all flavours have in common.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/backend.h"
#include "runtime/core/launch.h"

namespace rt::inline v0::detail {

/// A codelet that runs launches on workers of those kinds (STARPU_CPU | STARPU_CUDA). How many
/// buffers there are, and how they are used, is said by each task. Of several GPUs only those run a
/// launch whose memory holds it.
[[nodiscard]] starpu_codelet make_codelet(std::uint32_t where);

/// For codelets: what policies that look ahead expect of a launch, which is what its task took
/// before (on a simulated machine: what it will take). To live as long as StarPU runs.
[[nodiscard]] starpu_perfmodel make_model();

/// Hands the launch to StarPU, with its scratch as one buffer more where it may run on a GPU: so
/// StarPU makes room for all of it before it begins, and brings what lay there to main memory.
/// Throws base::Error (no_device) when StarPU refuses it.
void submit_task(Launch& launch, starpu_codelet& codelet);

/// Of a codelet those whose launches leave one of their buffers in main memory.
class Leaving {
 public:
  explicit Leaving(const starpu_codelet& like) : like_(like) {}
  /// For launches that leave this access there (Launch::stays); valid while this lives. Any thread.
  [[nodiscard]] starpu_codelet& at_home(std::uint8_t access);

 private:
  struct One;
  struct Delete {
    void operator()(One* one) const noexcept;
  };
  const starpu_codelet& like_;
  std::mutex mutex_;
  std::map<std::uint8_t, std::unique_ptr<One, Delete>> made_;
};

/// Bytes that one launch may hold on the largest GPU; 0: there is none, or StarPU does not count.
[[nodiscard]] std::uint64_t largest_gpu();

/// So much of every GPU may be held by no launch from now on.
void keep_back(std::uint64_t bytes);

/// Of so many workers on each GPU every one gets an equal part of what is left: where two launches
/// each had half of what they need, both would wait for ever.
void divide_memory(unsigned parts);

/// Buffers as StarPU's handles.
class OnStarPu : public Backend {
 public:
  [[nodiscard]] int ready() const noexcept final { return starpu_task_nready(); }
  void drain() final { starpu_task_wait_for_all(); }
  void* register_buffer(std::byte* bytes, std::size_t size) final;
  void unregister_buffer(void* handle) noexcept final;

 protected:
  /// Waits until the buffer is whole in main memory. An errno, 0 where all is well.
  [[nodiscard]] static int bring_home(void* handle) noexcept;
};

/// Gives StarPU's workers our numbers: CPU workers first. After starpu_init.
void number_workers();
/// The device of each CUDA worker, in the order of our numbers; devices count from 0 on, whatever
/// numbers StarPU uses of them.
[[nodiscard]] std::vector<int> gpus_of_workers();
/// Of the calling worker.
[[nodiscard]] unsigned worker_number();

}  // namespace rt::inline v0::detail
