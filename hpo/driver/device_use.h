#pragma once
// What each worker of a runtime did, real or simulated, in the log's words.

#include <vector>

#include "hpo/log/node_info.h"
#include "hpo/log/session_use.h"
#include "hpo/log/worker_info.h"
#include "runtime/summary.h"

namespace hpo {

[[nodiscard]] std::vector<WorkerInfo> worker_infos(const rt::Summary& summary);

/// The agents of the runtime that there is.
[[nodiscard]] std::vector<NodeInfo> node_infos();

/// The same over time, up to now. `workers` are those of the series.
[[nodiscard]] SessionUse session_use(const rt::UseSeries& series,
                                     const std::vector<WorkerInfo>& workers);

}  // namespace hpo
