#include "hpo/driver/run_config.h"

#include <algorithm>
#include <memory>

#include "base/machine.h"
#include "base/text.h"
#include "hpo/study/beginnings.h"
#include "hpo/study/gpus.h"
#include "runtime/store.h"
#include "tasks/device.h"
#include "tasks/tasks.h"

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

/// What a task's time depends on besides the task.
std::string machine_name(const StudySpec& study) {
  return base::cat(base::host_name(), "; ", tasks::arithmetic(study.precision));
}

}  // namespace

base::Path private_store(const RunOptions& options) { return options.folder / "store"; }

void share_gpus(const StudySpec& study, rt::Config& config) {
  config.workers_per_gpu = trials_per_gpu(study);
  config.gpu_reserve = tasks::gpu_reserve();
}

rt::Config config_of(const RunOptions& options, const StudySpec& study) {
  rt::Config config;
  config.workers = options.on_agents() ? 0 : options.workers;
  config.executor = executor_of(options.engine);
  // Whoever asks for none does not load what talks to them.
  if (options.engine == Engine::automatic && !may_use_gpus(study)) config.gpus = 0;
  share_gpus(study, config);
  rt::StoreConfig store;
  store.folder = !options.sharing        ? private_store(options)
                 : options.store.empty() ? options.folder.parent_path() / "store"
                                         : options.store;
  store.disk_bytes = study.store.budget;
  store.memory_bytes = std::min(store.memory_bytes, study.store.budget / 4);
  store.overhead = study.checkpoint.overhead;
  store.spill = study.method.kind == "grid" && trials_begin_alike(study);
  config.store = std::make_shared<rt::Store>(store);
  config.pace_file = base::cache_folder() / "paces";
  config.pace_machine = machine_name(study);
  config.gpu_failed = options.gpu_failed;
  config.graph_file = options.graph_file;
  config.trace_file = options.trace_file;
  if (!options.trace_file.empty())
    config.paje_file = base::Path(options.trace_file).replace_extension(".paje");
  return config;
}

}  // namespace hpo
