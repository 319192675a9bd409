// A workload of several networks as a study of its own: whole programs, from their start to their
// end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/bench.h"
#include "bench/rival.h"
#include "bench/workloads.h"

namespace bench {

/// `trellis sweep` over the networks of `workload`, beside the programs of `rivals`; both train on
/// the same rows and are scored on the same ones. `folder` is there and may be written to.
[[nodiscard]] std::vector<Case> whole_programs(const Workload& workload, const base::Path& folder,
                                               const std::string& python,
                                               std::span<const Rival> rivals,
                                               const Options& options);

}  // namespace bench
