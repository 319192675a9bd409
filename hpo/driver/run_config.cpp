#include "hpo/driver/run_config.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "hpo/study/trial_spec.h"
#include "runtime/store.h"

namespace hpo {

namespace {

rt::Executor executor_of(Engine engine) {
  switch (engine) {
    case Engine::sequential:
      return rt::Executor::sequential;
    case Engine::starpu_cpu:
      return rt::Executor::starpu_cpu;
    case Engine::starpu_cuda:
      return rt::Executor::starpu_cuda;
    case Engine::automatic:
      break;
  }
  return rt::Executor::automatic;
}

/// So that whoever asks for none does not load what talks to them.
bool uses_gpus(const StudySpec& study) {
  for (const double u : {0.0, 0.5, 1.0}) {
    const Params params = study.space.from_unit(std::vector<double>(study.space.size(), u));
    const Resources asked = trial_resources(study, params);
    if (asked.any_gpu || asked.gpus > 0) return true;
  }
  return false;
}

}  // namespace

rt::Path private_store(const RunOptions& options) { return options.folder / "store"; }

rt::Config config_of(const RunOptions& options, const StudySpec& study) {
  rt::Config config;
  config.workers = options.workers;
  config.executor = executor_of(options.engine);
  if (options.engine == Engine::automatic && !uses_gpus(study)) config.gpus = 0;
  rt::StoreConfig store;
  store.folder = !options.sharing        ? private_store(options)
                 : options.store.empty() ? options.folder.parent_path() / "store"
                                         : options.store;
  store.disk_bytes = study.store_budget;
  store.memory_bytes = std::min(store.memory_bytes, study.store_budget / 4);
  store.overhead = study.checkpoint_overhead;
  config.store = std::make_shared<rt::Store>(store);
  config.graph_file = options.graph_file;
  config.trace_file = options.trace_file;
  return config;
}

}  // namespace hpo
