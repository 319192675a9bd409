#include "hpo/driver/device_use.h"

#include "base/text.h"

namespace hpo {

std::vector<WorkerInfo> worker_infos(const rt::Summary& summary) {
  std::vector<WorkerInfo> infos;
  for (const rt::WorkerSummary& worker : summary.workers) {
    const char* kind = worker.id.kind == rt::Device::cpu ? "cpu " : "cuda ";
    WorkerInfo& info = infos.emplace_back();
    info.name = base::cat(kind, worker.id.index);
    info.gpu = worker.gpu;
    info.tasks = static_cast<std::int64_t>(worker.tasks);
    info.busy = worker.busy;
    info.waiting = worker.waiting;
    info.moving = worker.moving;
    for (std::size_t i = 0; i < rt::kIdleCauses; ++i)
      info.idle.emplace_back(rt::idle_cause_name(static_cast<rt::IdleCause>(i)), worker.idle[i]);
  }
  return infos;
}

}  // namespace hpo
