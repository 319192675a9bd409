// The StarPU executors. Built twice from this source: with a StarPU without CUDA, and with one that
// has it.
#include <sched.h>
#include <starpu.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "runtime/core/backend.h"
#include "runtime/starpu/environment.h"
#include "runtime/starpu/measured.h"
#include "runtime/starpu/resting.h"
#include "runtime/starpu/submission.h"

#ifdef TRELLIS_WITH_CUDA
#include <cuda_runtime.h>

#include "runtime/starpu/gone_gpu.h"
#include "runtime/starpu/gpu_memory.h"
#endif

namespace rt::inline v0::detail {

namespace {

/// As many CPU workers as the control groups leave time for beside those of GPUs; -1: as many as
/// StarPU finds cores, which knows nothing of such a limit.
int own_share(int cuda_workers) {
  cpu_set_t set;
  const int cores = base::usable_cores();
  if (::sched_getaffinity(0, sizeof set, &set) != 0 || cores >= CPU_COUNT(&set)) return -1;
  return std::max(1, cores - cuda_workers);
}

class StarPu final : public OnStarPu {
 public:
  explicit StarPu(const Config& config) {
    prepare_environment(home_.path());
    int visible = 0;
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.catch_signals = 0;
    int sharers = 1;
    conf.ncuda = 0;
#ifdef TRELLIS_WITH_CUDA
    conf.ncuda = config.gpus;
    visible = visible_gpus();
    told_.emplace(config.gpu_failed, visible);
    if (conf.ncuda != 0) {
      sharers = workers_of_a_gpu(config.workers_per_gpu, config.gpu_reserve);
      limits_ = limit_gpu_memory({config.gpu_reserve.value * static_cast<unsigned>(sharers)});
      keep_back(choose_chunks(limits_));
      if (sharers > 1) share_gpus(sharers, limits_);
    }
#endif
    conf.nopencl = 0;
    conf.ncpus = config.workers > 0 ? config.workers
                                    : own_share((conf.ncuda < 0 ? visible : conf.ncuda) * sharers);
    // Workers of GPUs look after transfers while they wait for tasks, so they do not rest.
    if (conf.ncuda != 0)
      conf.sched_policy_name = "dmdas";
    else
      conf.sched_policy = resting_policy("prio");
    Measuring measuring(home_.path(), visible);
    if (const int code = starpu_init(&conf); code != 0) {
      throw base::Error(base::Errc::no_device,
                        "StarPU does not start: " + base::errno_words(-code));
    }
    measuring.done();
    cpus_ = static_cast<int>(starpu_cpu_worker_get_count());
    number_workers();
    gpu_of_ = gpus_of_workers();
    cudas_ = static_cast<int>(gpu_of_.size());
    divide_memory(most_sharers());
    if (conf.ncuda != 0 && cudas_ == 0) {
      starpu_shutdown();
      throw base::Error(base::Errc::no_device, "StarPU finds no CUDA device");
    }
  }

  ~StarPu() override {
    starpu_task_wait_for_all();
    const Awake awake;
    starpu_shutdown();
  }

  [[nodiscard]] int cpu_workers() const noexcept override { return cpus_; }
  [[nodiscard]] int cuda_workers() const noexcept override { return cudas_; }
  [[nodiscard]] int gpus() const noexcept override {
    return gpu_of_.empty() ? 0 : 1 + *std::ranges::max_element(gpu_of_);
  }
  [[nodiscard]] int gpu_of(int cuda_worker) const noexcept override {
    return gpu_of_[static_cast<std::size_t>(cuda_worker)];
  }
  [[nodiscard]] std::uint64_t device_memory(Device kind) const noexcept override {
    return kind == Device::cuda ? largest_gpu() : 0;
  }

  void submit(Launch& launch) override {
    submit_task(launch, launch.device == Device::cpu    ? cpu_codelet_
                        : launch.stays != Launch::kNone ? leaving_.at_home(launch.stays)
                                                        : cuda_codelet_);
  }

  void fetch(void* handle) override {
    if (cudas_ != 0) starpu_resume();  // a transfer needs a worker that is awake
    const int code = bring_home(handle);
    if (cudas_ != 0) starpu_pause();
    if (code != 0)
      throw base::Error(base::Errc::internal,
                        "StarPU does not hand a buffer out: " + base::errno_words(code));
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
  [[nodiscard]] ShownGpu this_gpu() const noexcept override { return told_->this_gpu(); }
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
      throw base::Error(base::Errc::no_device, std::string("CUDA: ") + cudaGetErrorString(code));
  }
#endif

  /// Workers of the GPU that has the most, at least 1.
  [[nodiscard]] unsigned most_sharers() const {
    std::ptrdiff_t most = 1;
    for (const int gpu : gpu_of_) most = std::max(most, std::ranges::count(gpu_of_, gpu));
    return static_cast<unsigned>(most);
  }

  [[nodiscard]] starpu_codelet modelled(std::uint32_t where) {
    starpu_codelet codelet = make_codelet(where);
    codelet.model = &model_;
    return codelet;
  }

#ifdef TRELLIS_WITH_CUDA
  std::optional<ToldOfGoneGpus> told_;
#endif
  StarPuHome home_;
  std::vector<Setting> limits_;
  starpu_perfmodel model_ = make_model();
  starpu_codelet cpu_codelet_ = modelled(STARPU_CPU);
  starpu_codelet cuda_codelet_ = modelled(STARPU_CUDA);
  Leaving leaving_{cuda_codelet_};
  int cpus_ = 0;
  int cudas_ = 0;
  std::vector<int> gpu_of_;  ///< of each CUDA worker
};

}  // namespace

}  // namespace rt::inline v0::detail

extern "C" __attribute__((visibility("default"))) rt::detail::Backend* trellis_make_backend(
    const rt::Config& config) {
  return new rt::detail::StarPu(config);
}
