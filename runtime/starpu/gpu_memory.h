// How much of each GPU StarPU may deal out, and to how many workers.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/resources.h"
#include "runtime/starpu/environment.h"

namespace rt::inline v0::detail {

/// StarPU takes small buffers of a GPU from chunks of 32 MiB and keeps up to four empty ones, and
/// one that is almost empty: so much of its memory may be held by no task.
inline constexpr std::uint64_t kChunks = std::uint64_t{5} * (32 << 20);

/// GPUs that CUDA shows; 0 where it does not answer.
[[nodiscard]] int visible_gpus();

/// Workers of each GPU that StarPU shall make, of which each takes `reserve` for good: what the
/// user said (STARPU_NWORKER_PER_CUDA), else as many as fit (sharers_that_fit). Throws base::Error
/// (usage) for a word of the user's that is no such number.
[[nodiscard]] int workers_of_a_gpu(int wanted, ByteCount reserve);

/// Before StarPU starts: gives it what is free on each GPU at this moment but for `reserve`, where
/// the user did not set its limit (STARPU_LIMIT_CUDA_MEM or STARPU_LIMIT_CUDA_0_MEM, in MiB). Other
/// programs may have taken the rest. Nothing where CUDA does not answer: StarPU says why.
[[nodiscard]] std::vector<Setting> limit_gpu_memory(ByteCount reserve);

/// After that: has StarPU allocate buffer by buffer where some GPU has so little that chunks would
/// fill it with nothing. Says what no task may hold.
[[nodiscard]] std::uint64_t choose_chunks(std::vector<Setting>& settings);

}  // namespace rt::inline v0::detail
