#pragma once
// What each worker of a runtime did, real or simulated, in the log's words.

#include <vector>

#include "hpo/log/worker_info.h"
#include "runtime/summary.h"

namespace hpo {

[[nodiscard]] std::vector<WorkerInfo> worker_infos(const rt::Summary& summary);

}  // namespace hpo
