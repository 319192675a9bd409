// A platform in the files that StarPU's SimGrid flavour reads.
#pragma once

#include "base/file.h"
#include "runtime/place/device_model.h"

namespace rt::inline v0::detail {

/// Under this name StarPU looks for the platform (STARPU_HOSTNAME).
inline constexpr const char* kPlatformName = "simulated";

/// Writes hosts, links and bus speeds of `platform` into `folder`/bus, which STARPU_PERF_MODEL_DIR
/// then names. GPUs share the way to main memory. Throws base::Error (storage).
void write_platform_files(const Platform& platform, const base::Path& folder);

}  // namespace rt::inline v0::detail
