// Platform files for `trellis plan` and `trellis simulate`, from what was measured here.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "runtime/place/device_model.h"

namespace bench {

/// The text of a platform file; its numbers are rounded to three digits.
[[nodiscard]] std::string platform_text(const rt::Platform& platform);

/// Measures this machine's cores, its link to the first of options.hosts and what a parcel costs;
/// writes them into options.platform, for options.nodes nodes. Returns the figures of the link.
/// Throws base::Error: internal where an agent there does not work, storage for the file.
std::vector<Case> write_platform(const Options& options);

}  // namespace bench
