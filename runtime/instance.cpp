#include "runtime/instance.h"

#include <exception>

#include "base/text.h"
#include "runtime/core/backend.h"
#include "runtime/core/engine.h"
#include "runtime/core/hosted.h"

namespace rt::inline v0 {

const char* executor_name(Executor executor) noexcept {
  switch (executor) {
    case Executor::automatic:
      return "automatic";
    case Executor::sequential:
      return "sequential";
    case Executor::starpu_cpu:
      return "starpu_cpu";
    case Executor::starpu_cuda:
      return "starpu_cuda";
    case Executor::simulated:
      return "simulated";
  }
  return "?";
}

Runtime::Runtime(const Config& asked) {
  Config config = asked;
  hosted_ = detail::host_agents(config);
  engine_ = std::make_unique<detail::Engine>(config);
  if (hosted_) hosted_->start();
}
Runtime::~Runtime() {
  if (hosted_) hosted_->end();
}

Executor Runtime::executor() const noexcept { return engine_->executor(); }
int Runtime::workers() const noexcept { return engine_->backend().cpu_workers(); }
int Runtime::gpus() const noexcept { return engine_->backend().gpus(); }
int Runtime::gpu_workers() const noexcept { return engine_->backend().cuda_workers(); }
Summary Runtime::summary() const { return engine_->summary(); }
UseSeries Runtime::use() const { return engine_->accounting().series(base::now()); }
void Runtime::set_window(int chains) const noexcept {
  engine_->accounting().set_window(chains, base::now());
}

void run_within(const Config& config, const std::function<void()>& job) {
  if (config.executor != Executor::simulated) return job();
  std::exception_ptr error;
  detail::run_in_simulation(config, [&] {
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

int worker_count() noexcept {
  const detail::Engine* engine = detail::Engine::current();
  return engine != nullptr ? engine->backend().cpu_workers() : 0;
}

namespace {

std::string percent(double part, double whole) {
  return std::to_string(static_cast<int>(whole > 0 ? 100 * part / whole + 0.5 : 0)) + '%';
}

/// " (slots 12%, driver 3%)": those that show.
std::string causes(const WorkerSummary& worker, double whole) {
  std::string text;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    const std::string share = percent(worker.idle[i], whole);
    if (share == "0%") continue;
    text += text.empty() ? " (" : ", ";
    text += std::string(idle_cause_name(static_cast<IdleCause>(i))) + ' ' + share;
  }
  return text.empty() ? text : text + ')';
}

}  // namespace

std::string Summary::text() const {
  std::string text = executor + ": " + std::to_string(tasks) + " tasks in " +
                     base::format_seconds(seconds) + ", overhead " +
                     base::format_double(
                         static_cast<double>(static_cast<long>(overhead_us_per_task * 100)) / 100) +
                     " us a task\n";
  text += "  stored " + std::to_string(stored) + ", merged " + std::to_string(merged) +
          ", failed " + std::to_string(failed) + ", cancelled " + std::to_string(cancelled) +
          ", retried " + std::to_string(retried) + ", copies " + std::to_string(copies) +
          ", parts taken over " + std::to_string(parts) + ", packed " + std::to_string(packed) +
          '\n';
  for (const WorkerSummary& w : workers) {
    text += "  " + std::string(w.id.kind == Device::cpu ? "cpu " : "cuda ") +
            std::to_string(w.id.index) + ": " + std::to_string(w.tasks) + " tasks, busy " +
            percent(w.busy, seconds) + ", waiting " + percent(w.waiting, seconds) +
            causes(w, seconds) + ", moving data " + percent(w.moving, seconds) + '\n';
  }
  for (const NodeSummary& node : nodes)
    text += "  node " + node.name + ": " + std::to_string(node.tasks) + " tasks\n";
  return text;
}

}  // namespace rt::inline v0
