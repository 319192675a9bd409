// The StarPU executors. Built twice from this source: with a StarPU without CUDA, and with one that
// has it.
#include <starpu.h>

#include <cstring>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/core/backend.h"
#include "runtime/starpu/environment.h"
#include "runtime/starpu/order.h"
#include "runtime/starpu/resting.h"

#ifdef TRELLIS_WITH_CUDA
#include <cuda_runtime.h>
#endif

namespace rt::detail {

namespace {

std::vector<unsigned> worker_numbers;  // ours, by StarPU's worker id: CPU workers first

starpu_data_access_mode starpu_mode(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return STARPU_R;
    case AccessMode::write:
      return STARPU_W;
    case AccessMode::read_write:
      return STARPU_RW;
    case AccessMode::commute:
      return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  }
  return STARPU_RW;
}

/// Where a buffer is on this worker's device. The interface is StarPU's own memory, which StarPU
/// also frees, in an order that only StarPU sees: not a matter for the sanitizer.
__attribute__((noinline, no_sanitize("thread"))) std::byte* address_in(void* const* interface) {
  return reinterpret_cast<std::byte*>(STARPU_VARIABLE_GET_PTR(*interface));
}

void run_task(void* interfaces[], void* argument) {
  auto& launch = *static_cast<Launch*>(argument);
  const Turn turn(launch);
  std::byte* bytes[256];
  for (unsigned i = 0; i < launch.access_count; ++i) {
    bytes[i] = address_in(&interfaces[i]);
  }
  run_launch(launch, worker_numbers[static_cast<unsigned>(starpu_worker_get_id_check())], bytes);
}

/// One codelet a kind of device: how many buffers there are, and how they are used, is said by each
/// task.
starpu_codelet make_codelet(Device device) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  if (device == Device::cpu) {
    codelet.where = STARPU_CPU;
    codelet.cpu_funcs[0] = run_task;
  } else {
    codelet.where = STARPU_CUDA;
    codelet.cuda_funcs[0] = run_task;
  }
  codelet.name = device == Device::cpu ? "trellis-cpu" : "trellis-cuda";
  return codelet;
}

class StarPu final : public Backend {
 public:
  explicit StarPu(const Config& config) {
    prepare_environment();
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.catch_signals = 0;
    conf.ncpus = config.workers > 0 ? config.workers : -1;
    conf.ncuda = 0;
#ifdef TRELLIS_WITH_CUDA
    conf.ncuda = config.gpus;
#endif
    conf.nopencl = 0;
    // Workers of GPUs look after transfers while they wait for tasks, so they do not rest.
    if (conf.ncuda != 0)
      conf.sched_policy_name = "dmdas";
    else
      conf.sched_policy = resting_policy("prio");
    if (const int code = starpu_init(&conf); code != 0) {
      throw Error(Errc::no_device, "StarPU does not start: " + errno_words(-code));
    }
    cpus_ = static_cast<int>(starpu_cpu_worker_get_count());
    cudas_ = static_cast<int>(starpu_cuda_worker_get_count());
    number_workers();
    if (conf.ncuda != 0 && cudas_ == 0) {
      starpu_shutdown();
      throw Error(Errc::no_device, "StarPU finds no CUDA device");
    }
  }

  void drain() override { starpu_task_wait_for_all(); }

  ~StarPu() override {
    starpu_task_wait_for_all();
    const Awake awake;
    starpu_shutdown();
  }

  [[nodiscard]] int cpu_workers() const noexcept override { return cpus_; }
  [[nodiscard]] int cuda_workers() const noexcept override { return cudas_; }

  void submit(Launch& launch) override {
    starpu_task* task = starpu_task_create();
    task->cl = launch.device == Device::cpu ? &cpu_codelet_ : &cuda_codelet_;
    task->cl_arg = &launch;
    task->name = launch.name;
    task->priority = launch.priority;
    task->nbuffers = launch.access_count;
    if (launch.access_count > STARPU_NMAXBUFS) give_long_lists(*task, launch);
    starpu_data_handle_t* handles =
        task->dyn_handles != nullptr ? task->dyn_handles : task->handles;
    starpu_data_access_mode* modes = task->dyn_modes != nullptr ? task->dyn_modes : task->modes;
    for (unsigned i = 0; i < launch.access_count; ++i) {
      handles[i] = static_cast<starpu_data_handle_t>(launch.accesses[i].handle);
      modes[i] = starpu_mode(launch.accesses[i].mode);
    }
#ifdef __SANITIZE_THREAD__
    starpu_task_get_job_id(
        task);  // what StarPU keeps about the task is made now, not in the submission
#endif
    comes_before(&launch);
    if (const int code = starpu_task_submit(task); code != 0) {
      starpu_task_destroy(task);
      throw Error(Errc::no_device, "StarPU refuses a task: " + errno_words(-code));
    }
  }

  [[nodiscard]] int ready() const noexcept override { return starpu_task_nready(); }

  void* register_buffer(std::byte* bytes, std::size_t size) override {
    static std::byte turn;  // never read: only the order of the tasks that name it counts
    starpu_data_handle_t handle = nullptr;
    if (size == 0) {
      starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&turn),
                                    1);
    } else {
      starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(bytes),
                                    size);
    }
    return handle;
  }

  void unregister_buffer(void* handle) noexcept override {
    starpu_data_unregister_submit(static_cast<starpu_data_handle_t>(handle));
  }

  void fetch(void* handle) override {
    auto* data = static_cast<starpu_data_handle_t>(handle);
    if (cudas_ != 0) starpu_resume();  // a transfer needs a worker that is awake
    const int code = starpu_data_acquire(data, STARPU_R);
    comes_after(handle);
    if (code == 0) starpu_data_release(data);
    if (cudas_ != 0) starpu_pause();
    if (code != 0)
      throw Error(Errc::internal, "StarPU does not hand a buffer out: " + errno_words(-code));
  }

  void copy(std::byte* to, const std::byte* from, std::size_t size) override {
#ifdef TRELLIS_WITH_CUDA
    if (starpu_worker_get_type(starpu_worker_get_id_check()) == STARPU_CUDA_WORKER) {
      check(cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, starpu_cuda_get_local_stream()));
      return synchronise();
    }
#endif
    std::memcpy(to, from, size);
  }

#ifdef TRELLIS_WITH_CUDA
  [[nodiscard]] void* stream() noexcept override {
    const int worker = starpu_worker_get_id();
    if (worker < 0 || starpu_worker_get_type(worker) != STARPU_CUDA_WORKER) return nullptr;
    return starpu_cuda_get_local_stream();
  }
  void synchronise() override { check(cudaStreamSynchronize(starpu_cuda_get_local_stream())); }
#endif

  void on_each_worker(void (*function)(void*), void* argument) override {
    const Awake awake;
    starpu_execute_on_each_worker(function, argument, STARPU_CPU | STARPU_CUDA);
  }

  [[nodiscard]] bool spins() const noexcept override { return true; }
  void pause() override { starpu_pause(); }
  void resume() override { starpu_resume(); }

 private:
#ifdef TRELLIS_WITH_CUDA
  static void check(cudaError_t code) {
    if (code != cudaSuccess)
      throw Error(Errc::no_device, std::string("CUDA: ") + cudaGetErrorString(code));
  }
#endif

  void number_workers() {
    worker_numbers.assign(starpu_worker_get_count(), 0);
    unsigned cpu = 0;
    unsigned cuda = 0;
    for (unsigned id = 0; id < worker_numbers.size(); ++id) {
      const bool is_cpu = starpu_worker_get_type(static_cast<int>(id)) == STARPU_CPU_WORKER;
      worker_numbers[id] = is_cpu ? cpu++ : static_cast<unsigned>(cpus_) + cuda++;
    }
  }

  /// More buffers than fit into the task itself; StarPU frees the lists.
  static void give_long_lists(starpu_task& task, const Launch& launch) {
    task.dyn_handles = static_cast<starpu_data_handle_t*>(
        std::calloc(launch.access_count, sizeof *task.dyn_handles));
    task.dyn_modes = static_cast<starpu_data_access_mode*>(
        std::calloc(launch.access_count, sizeof *task.dyn_modes));
    if (task.dyn_handles == nullptr || task.dyn_modes == nullptr) throw std::bad_alloc();
  }

  starpu_codelet cpu_codelet_ = make_codelet(Device::cpu);
  starpu_codelet cuda_codelet_ = make_codelet(Device::cuda);
  int cpus_ = 0;
  int cudas_ = 0;
};

}  // namespace

}  // namespace rt::detail

extern "C" __attribute__((visibility("default"))) rt::detail::Backend* trellis_make_backend(
    const rt::Config& config) {
  return new rt::detail::StarPu(config);
}
