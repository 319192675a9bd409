#include "runtime/core/engine.h"

#include <numeric>

#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "runtime/core/hooks.h"
#include "runtime/core/idler.h"
#include "runtime/core/pace_book.h"
#include "runtime/core/running.h"
#include "runtime/core/shipping.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

constinit thread_local ThisThread own_thread;
constinit std::atomic<FindThread> find_thread{nullptr};

namespace {

std::atomic<Engine*> current_engine{nullptr};

/// Whether a CUDA driver and a device are there, without loading anything of CUDA.
bool has_gpu() { return !base::gpu_names().empty() && base::count_gpus() > 0; }

const char* words_for(Executor executor) {
  return executor == Executor::starpu_cpu
             ? "the cores alone"
             : "one core, one task after another (--executor sequential asks for that)";
}

/// Returns the executor of the only runtime, and sets `chosen` to what it is. Throws base::Error:
/// usage if there is a runtime already, no_device for an executor that is not there.
std::unique_ptr<Backend> make_backend(const Config& config, Executor& chosen) {
  if (Engine::current() != nullptr)
    throw base::Error(base::Errc::usage, "there is a rt::Runtime already: one at a time");
  const bool automatic = chosen == Executor::automatic;
  if (automatic)
    chosen = has_gpu() && config.gpus != 0 ? Executor::starpu_cuda : Executor::starpu_cpu;
  while (true) {
    try {
      switch (chosen) {
        case Executor::starpu_cuda:
          return load_backend("starpu-cuda", config);
        case Executor::starpu_cpu:
          return load_backend("starpu-cpu", config);
        case Executor::simulated:
          return load_backend("starpu-simgrid", config);
        default:
          chosen = Executor::sequential;
          return make_sequential(config);
      }
    } catch (const base::Error& e) {
      if (!automatic || e.kind() != base::Errc::no_device) throw;
      chosen = chosen == Executor::starpu_cuda ? Executor::starpu_cpu : Executor::sequential;
      if (chosen == Executor::sequential && config.workers > 1) {
        throw base::Error(base::Errc::no_device,
                          base::cat(e.what(), "; ", config.workers,
                                    " workers were asked for, without it there is 1"));
      }
      base::warn(base::cat(e.what(), "; continuing with ", words_for(chosen)));
    }
  }
}

}  // namespace

Engine* Engine::current() noexcept { return current_engine.load(std::memory_order_acquire); }

Engine& Engine::for_driver(const char* action) {
  if (this_thread().running != nullptr) {
    throw base::Error(base::Errc::usage,
                      std::string(action) + " inside the body of task '" +
                          this_thread().running->node.info->name +
                          "': a body never waits and makes no calls; take values as in<T>");
  }
  Engine* engine = current();
  if (engine == nullptr)
    throw base::Error(base::Errc::usage,
                      std::string(action) + " needs a rt::Runtime, but none exists");
  if (!this_thread().driver) {
    throw base::Error(
        base::Errc::usage,
        std::string(action) + " on another thread than the one that made the rt::Runtime");
  }
  return *engine;
}

Engine::Engine(const Config& asked)
    : config_(asked),
      executor_(asked.executor),
      backend_(make_backend(config_, executor_)),
      started_(base::now()),
      root_(nullptr),
      records_(config_),
      workers_(*backend_, records_),
      progress_(workers_),
      answers_(config_.store.get(), records_),
      handles_(*backend_),
      admission_(config_.memory.value != 0 ? config_.memory.value : base::usable_memory(),
                 backend_->cpu_workers(), accounting_),
      teams_(*backend_) {
  mailbox_.use(backend_->bell());
  for (const auto& worker : workers_.executors())
    accounting_.add(worker->id.kind, worker->lane, started_);
  accounting_.show_in(records_.trace());
  if (!config_.pace_file.empty())
    paces_ = std::make_unique<PaceBook>(config_.pace_file, config_.pace_machine);
  root_.store(new GroupState("", nullptr));
  current_engine.store(this, std::memory_order_release);
  this_thread().driver = true;
  run_hooks();
  if (backend_->spins()) {
    idler_ = std::make_unique<Idler>(
        *backend_, [this] { return workers_.with_executor(); },
        base::Duration(static_cast<std::int64_t>(config_.idle_seconds * 1e9)));
  }
  if (config_.nodes) shipping_ = std::make_unique<Shipping>(*this, *config_.nodes);
}

Engine::~Engine() {
  coroutines_.destroy_spawned();
  files_.release();
  coroutines_.forget_errors();
  try {
    const auto unfinished = [&] { return progress_.in_flight() != 0; };
    do {  // what the last events start has to end, too
      flush();
      progress_.wake_at(0);
      while (unfinished()) {
        sleep_once(unfinished, kLookAgain);
        if (stands_still()) give_up_promises(*this);
      }
      progress_.wake_never();
      handle_events();
    } while (unfinished() || !pending_.empty() || !mailbox_.empty());
  } catch (...) {  // nothing here throws but for lack of memory; what runs must end all the same
  }
  shipping_.reset();
  mailbox_.handle_events(*this);  // what the transport sent last
  idler_.reset();
  backend_->drain();  // helpers, and launches whose calls others ran, have yet to return
  if (records_.trace() != nullptr) accounting_.close(base::now());
  records_.write();
  if (paces_) paces_->keep();
  handles_.take_back_all();  // values may outlive the runtime
  backend_.reset();
  lazy_nodes_.clear();
  current_engine.store(nullptr, std::memory_order_release);
  this_thread().driver = false;
  root_.load()->unref();
}

void Engine::handle_events() {
  mailbox_.handle_events(*this);
  if (!shipping_) return;
  if (group_cancelled_.exchange(false)) shipping_->drop_cancelled();
  shipping_->handle_releases();
  shipping_->flush();
}

void Engine::cancelled_group() noexcept {
  if (!shipping_) return;
  group_cancelled_.store(true);
  mailbox_.nudge();
}

bool Engine::stands_still() const noexcept {
  return workers_.with_executor() == 0 && mailbox_.empty() &&
         (!shipping_ || shipping_->unfinished() == 0);
}

void Engine::run_hooks() {
  Worker& here = workers_.here();
  here.launched.fetch_add(1);  // so that nobody puts the workers to sleep meanwhile
  if (idler_) idler_->activity();
  backend_->on_each_worker([](void*) { run_worker_hooks(); }, nullptr);
  here.returned.fetch_add(1);
}

Summary Engine::summary() {
  Summary s;
  const base::Moment here = base::now();
  s.executor = executor_name(executor_);
  s.seconds = base::seconds(here - started_);
  s.stored = answers_.stored();
  s.merged = answers_.merged();
  std::int64_t overhead = driver_nanos_;
  for (const auto& worker : workers_.all()) {
    s.tasks += worker->ended.load();
    s.failed += worker->failed.load();
    s.cancelled += worker->cancelled.load();
    s.retried += worker->retried.load();
    s.copies += worker->copies.load();
    s.parts += worker->parts.load();
    s.packed += worker->packed.load();
    overhead += worker->overhead_nanos.load();
  }
  for (const auto& worker : workers_.executors()) {
    WorkerSummary w;
    w.id = worker->id;
    if (w.id.kind == Device::cuda) w.gpu = backend_->gpu_of(w.id.index);
    w.tasks = worker->tasks.load();
    const WorkerTimes use = accounting_.use_of(worker->number, here);
    const double copying =
        std::min(use.busy, static_cast<double>(worker->moving_nanos.load()) * 1e-9);
    w.busy = use.busy - copying;
    w.moving = use.moving + copying;
    w.idle = use.idle;
    w.waiting = std::accumulate(w.idle.begin(), w.idle.end(), 0.0);
    s.workers.push_back(w);
  }
  if (shipping_) {
    for (const net::AgentView& agent : shipping_->dispatcher().agents())
      s.nodes.push_back({agent.node, agent.done});
  }
  if (s.tasks != 0)
    s.overhead_us_per_task = static_cast<double>(overhead) * 1e-3 / static_cast<double>(s.tasks);
  return s;
}

}  // namespace rt::inline v0::detail
