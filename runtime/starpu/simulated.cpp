// The executor on a machine that is not there: StarPU's SimGrid flavour. Tasks are StarPU's,
// ordered by their data and dealt out by its policies; what they take is counted work on the
// platform's devices, and time is SimGrid's.
//
// SimGrid runs one thread at a time, the driver's among them: a thread that would wait outside of
// SimGrid would stop all. So the driver sleeps by a bell of StarPU's own kind.
#include <dlfcn.h>
#include <fcntl.h>
#include <starpu.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "runtime/core/backend.h"
#include "runtime/core/thread.h"
#include "runtime/place/simulation.h"
#include "runtime/starpu/environment.h"
#include "runtime/starpu/one_core.h"
#include "runtime/starpu/platform_files.h"
#include "runtime/starpu/submission.h"

namespace rt::inline v0::detail {

namespace {

constexpr double kMicro = 1e-6;

double simulated_seconds() { return starpu_timing_now() * kMicro; }

base::Moment simulated_now() noexcept {
  return {static_cast<std::int64_t>(starpu_timing_now() * 1000.0)};
}

void simulated_sleep(base::Duration duration) {
  if (duration > base::Duration::zero()) starpu_sleep(static_cast<float>(base::seconds(duration)));
}

/// Time-outs make the driver look whether all is well: here a thread of its own rings for them, as
/// SimGrid's timed waits may return without their mutex.
class DriverBell final : public Bell {
 public:
  DriverBell() {
    starpu_pthread_mutex_init(&mutex_, nullptr);
    starpu_pthread_cond_init(&heard_, nullptr);
    starpu_pthread_create(&ticker_, nullptr, &DriverBell::tick, this);
  }
  ~DriverBell() override {
    over_ = true;
    starpu_pthread_join(ticker_, nullptr);
    starpu_pthread_cond_destroy(&heard_);
    starpu_pthread_mutex_destroy(&mutex_);
  }

  void ring() noexcept override {
    starpu_pthread_mutex_lock(&mutex_);
    rung_ = true;
    starpu_pthread_cond_signal(&heard_);
    starpu_pthread_mutex_unlock(&mutex_);
  }

  void wait(std::optional<base::Duration>) noexcept override {
    starpu_pthread_mutex_lock(&mutex_);
    while (!rung_) starpu_pthread_cond_wait(&heard_, &mutex_);
    rung_ = false;
    starpu_pthread_mutex_unlock(&mutex_);
  }

 private:
  static void* tick(void* self) {
    constexpr float kTick = 1;  // seconds; over simulated hours shorter ones would add up
    auto& bell = *static_cast<DriverBell*>(self);
    while (!bell.over_) {
      starpu_sleep(kTick);
      bell.ring();
    }
    return nullptr;
  }

  starpu_pthread_mutex_t mutex_;
  starpu_pthread_cond_t heard_;
  starpu_pthread_t ticker_;
  bool rung_ = false;
  std::atomic<bool> over_{false};
};

/// StarPU warns of what is meant to be, before it reads that it shall be silent.
class Hush {
 public:
  Hush() : before_(::dup(STDERR_FILENO)) {
    const base::File nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (before_ && nowhere) ::dup2(nowhere.fd(), STDERR_FILENO);
  }
  ~Hush() {
    if (before_) ::dup2(before_.fd(), STDERR_FILENO);
  }
  Hush(const Hush&) = delete;
  Hush& operator=(const Hush&) = delete;

 private:
  base::File before_;
};

void name_platform(const Platform& platform, const base::Path& folder) {
  prepare_environment(folder);
  write_platform_files(platform, folder);
  ::setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  ::setenv("STARPU_HOSTNAME", kPlatformName, 1);
}

/// What the runtime knows of each of SimGrid's threads, which may take turns on one of the
/// system's.
class Threads {
 public:
  Threads() {
    starpu_pthread_key_create(&key_, nullptr);
    *own() = std::exchange(own_thread, {});
    current = this;
    find_thread = []() -> ThisThread& { return *current->own(); };
  }
  ~Threads() {
    find_thread = nullptr;
    own_thread = *own();
    current = nullptr;
    starpu_pthread_key_delete(key_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  ThisThread* own() {
    void* known = starpu_pthread_getspecific(key_);
    if (known == nullptr) {
      known = &all_.emplace_back();
      starpu_pthread_setspecific(key_, known);
    }
    return static_cast<ThisThread*>(known);
  }

  static inline Threads* current = nullptr;
  starpu_pthread_key_t key_{};
  std::deque<ThisThread> all_;
};

class Simulated final : public OnStarPu {
 public:
  explicit Simulated(const Config& config) : simulation_(config.simulation) {
    if (!simulation_)
      throw base::Error(base::Errc::usage, "Executor::simulated needs Config::simulation");
    name_platform(simulation_->platform, files_.path());
    set_memory();
    start();
    threads_.emplace();
    number_workers();
    bell_ = std::make_unique<DriverBell>();
    started_ = simulated_seconds();
    base::install_clock({simulated_now, simulated_sleep});
  }

  ~Simulated() override {
    starpu_task_wait_for_all();
    bell_.reset();
    threads_.reset();
    starpu_shutdown();
    base::install_clock(base::machine_clock());
  }

  [[nodiscard]] bool simulates() const noexcept override { return true; }
  [[nodiscard]] Bell* bell() noexcept override { return bell_.get(); }
  [[nodiscard]] int cpu_workers() const noexcept override {
    return static_cast<int>(starpu_cpu_worker_get_count());
  }
  [[nodiscard]] int cuda_workers() const noexcept override {
    return static_cast<int>(starpu_cuda_worker_get_count());
  }
  [[nodiscard]] std::uint64_t device_memory(Device kind) const noexcept override {
    return kind == Device::cuda ? largest_gpu() : simulation_->platform.cpu.memory;
  }

  void submit(Launch& launch) override {
    const bool free = simulation_->any_kind && launch.simulated[1] > 0;
    starpu_codelet& kind = free                           ? any_codelet_
                           : launch.device == Device::cpu ? cpu_codelet_
                                                          : cuda_codelet_;
    const bool leaves = launch.stays != Launch::kNone;
    submit_task(launch, !leaves ? kind : (free ? any_leaving_ : leaving_).at_home(launch.stays));
  }

  void spend(const Launch& launch) override {
    const int worker = starpu_worker_get_id_check();
    const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    const double begun = simulated_seconds() - started_;
    const double takes = launch.simulated[gpu ? 1 : 0];
    if (takes > 0) starpu_sleep(static_cast<float>(takes));
    const int number = static_cast<int>(worker_number());
    const int index = gpu ? number - cpu_workers() : number;
    simulation_->runs.push_back(
        {.worker = {0, gpu ? Device::cuda : Device::cpu, index},
         .task = launch.name,
         .kind = launch.device,
         .ready = seconds_at(launch.ready),
         .taken = launch.taken == base::Moment{} ? begun : seconds_at(launch.taken),
         .begun = begun,
         .ended = simulated_seconds() - started_,
         .memory = launch.footprint,
         .resident = gpu ? resident(launch, worker) : 0});
  }

  /// The bytes never left; what bringing them back would take is what is waited for.
  void fetch(void* handle) override { (void)bring_home(handle); }

  /// Of a simulated buffer only the ends hold anything.
  void copy(std::byte* to, const std::byte* from, std::size_t size) override {
    constexpr std::size_t kEnd = 4096;
    if (size <= 2 * kEnd) {
      std::memcpy(to, from, size);
      return;
    }
    std::memcpy(to, from, kEnd);
    std::memcpy(to + size - kEnd, from + size - kEnd, kEnd);
  }

  void on_each_worker(void (*function)(void*), void* argument) override { function(argument); }

 private:
  [[nodiscard]] double seconds_at(base::Moment moment) const noexcept {
    return static_cast<double>(moment.nanos) * 1e-9 - started_;
  }

  /// What lies on the worker's device: buffers, whoever uses them, and scratch, as StarPU allocated
  /// them; and whatever of the launch StarPU was not told of.
  [[nodiscard]] static std::uint64_t resident(const Launch& launch, int worker) {
    const unsigned node = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    return starpu_memory_get_used(node) + (launch.scratch_at == nullptr ? launch.scratch : 0);
  }

  /// Buffer by buffer: in chunks of 32 MiB a small device would be full of nothing.
  void set_memory() {
    for (int i = 0; i < simulation_->platform.gpu.count; ++i)
      limits_.push_back(memory_limit(i, simulation_->platform.gpu.memory));
    ::setenv("STARPU_SUBALLOCATOR", "0", 1);
    ::setenv("STARPU_PREFETCH", "0", 1);  // it would keep the only GPU from a task that comes
    ::setenv("STARPU_SIMGRID_CUDA_MALLOC_COST", "0", 1);
  }

  void start() const {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.catch_signals = 0;
    conf.ncpus = simulation_->platform.cpu.count;
    conf.ncuda = simulation_->platform.gpu.count;
    conf.nopencl = 0;
    conf.sched_policy_name = simulation_->scheduler.c_str();
    const Hush hush;
    if (const int code = starpu_init(&conf); code != 0)
      throw base::Error(base::Errc::no_device,
                        "StarPU does not start: " + base::errno_words(-code));
  }

  [[nodiscard]] starpu_codelet modelled(std::uint32_t where) {
    starpu_codelet codelet = make_codelet(where);
    codelet.flags |= STARPU_CODELET_SIMGRID_EXECUTE;
    codelet.model = &model_;
    return codelet;
  }

  OneCore core_;
  std::shared_ptr<Simulation> simulation_;
  base::TemporaryFolder files_{kScratchPrefix};
  std::vector<Setting> limits_;
  starpu_perfmodel model_ = make_model();
  starpu_codelet cpu_codelet_ = modelled(STARPU_CPU);
  starpu_codelet cuda_codelet_ = modelled(STARPU_CUDA);
  starpu_codelet any_codelet_ = modelled(STARPU_CPU | STARPU_CUDA);
  Leaving leaving_{cuda_codelet_}, any_leaving_{any_codelet_};
  std::optional<Threads> threads_;
  std::unique_ptr<DriverBell> bell_;
  double started_ = 0;
};

/// What run_in_simulation() is to do within StarPU's main(), and what hushes its beginning.
const std::function<void()>* the_job = nullptr;
std::optional<Hush> beginning;

/// StarPU's own main(), by which a program becomes a thread of SimGrid's.
using Main = int (*)(int, char**);
Main main_of_starpu() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<void*>(&starpu_init), &library) == 0) return nullptr;
  void* const handle = ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return handle != nullptr ? reinterpret_cast<Main>(::dlsym(handle, "main")) : nullptr;
}

}  // namespace

}  // namespace rt::inline v0::detail

/// StarPU calls it by this name, on a stack of SimGrid's.
extern "C" __attribute__((visibility("default"))) int starpu_main(int, char**) {
  rt::detail::beginning.reset();
  (*std::exchange(rt::detail::the_job, nullptr))();
  return 0;
}

extern "C" __attribute__((visibility("default"))) void trellis_run_in_simulation(
    const rt::Config& config, const std::function<void()>& job) {
  const rt::detail::Main run = rt::detail::main_of_starpu();
  if (run == nullptr || !config.simulation) return job();
  const base::TemporaryFolder files(rt::detail::kScratchPrefix);
  rt::detail::name_platform(config.simulation->platform, files.path());
  rt::detail::the_job = &job;
  char name[] = "trellis";
  char* words[] = {name, nullptr};
  rt::detail::beginning.emplace();
  (void)run(1, words);
  rt::detail::beginning.reset();
  if (std::exchange(rt::detail::the_job, nullptr) != nullptr)
    throw base::Error(base::Errc::no_device, "executor starpu-simgrid: SimGrid did not start");
}

extern "C" __attribute__((visibility("default"))) rt::detail::Backend* trellis_make_backend(
    const rt::Config& config) {
  return new rt::detail::Simulated(config);
}
