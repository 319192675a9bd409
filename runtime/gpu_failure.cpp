#include "runtime/gpu_failure.h"

#include "runtime/core/engine.h"
#include "runtime/core/running.h"
#include "runtime/core/thread.h"

namespace rt::inline v0 {

void report_gpu_failure(const std::string& why) {
  const detail::Running* running = detail::this_thread().running;
  if (running == nullptr || running->worker.id.kind != Device::cuda) return;
  const detail::Engine& engine = running->engine;
  if (engine.config().gpu_failed == nullptr) return;
  const detail::ShownGpu shown = engine.backend().this_gpu();
  engine.config().gpu_failed({.gpu = shown.index, .gpus = shown.of, .why = why});
}

}  // namespace rt::inline v0
