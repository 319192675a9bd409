// From a launch to a StarPU task and back to its worker: what all flavours have in common.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>

#include "runtime/core/launch.h"

namespace rt::detail {

/// A codelet that runs launches on workers of those kinds (STARPU_CPU | STARPU_CUDA). How many
/// buffers there are, and how they are used, is said by each task.
[[nodiscard]] starpu_codelet make_codelet(std::uint32_t where);

/// Hands the launch to StarPU. Throws Error (no_device) when StarPU refuses it.
void submit_task(Launch& launch, starpu_codelet& codelet);

/// A handle for host memory; of size 0 for a turn to be taken.
[[nodiscard]] starpu_data_handle_t starpu_buffer(std::byte* bytes, std::size_t size);

/// Gives StarPU's workers our numbers: CPU workers first. After starpu_init.
void number_workers();
/// Of the calling worker.
[[nodiscard]] unsigned worker_number();

}  // namespace rt::detail
