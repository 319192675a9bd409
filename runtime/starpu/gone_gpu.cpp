#include "runtime/starpu/gone_gpu.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <starpu.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace rt::inline v0::detail {

namespace {

std::atomic<const ToldOfGoneGpus*> listening{nullptr};

[[noreturn]] void end(const std::string& why) {
  if (const ToldOfGoneGpus* told = listening.load()) told->end(why);
  std::fprintf(stderr, "trellis: %s\n", why.c_str());
  std::_Exit(base::exit_code(base::Errc::no_device));
}

}  // namespace

ToldOfGoneGpus::ToldOfGoneGpus(OnGpuFailure told, int shown) : told_(told), shown_(shown) {
  listening = this;
}

ToldOfGoneGpus::~ToldOfGoneGpus() { listening = nullptr; }

ShownGpu ToldOfGoneGpus::this_gpu() const noexcept {
  int gpu = 0;
  const int worker = starpu_worker_get_id();
  if (worker >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER)
    gpu = starpu_worker_get_devid(worker);
  else if (cudaGetDevice(&gpu) != cudaSuccess)
    gpu = 0;
  return {.index = gpu, .of = shown_};
}

void ToldOfGoneGpus::end(const std::string& why) const {
  const ShownGpu gpu = this_gpu();
  if (told_ != nullptr) told_({.gpu = gpu.index, .gpus = gpu.of, .why = why});
  std::fprintf(stderr, "trellis: %s: this process can no longer use the device; %s\n", why.c_str(),
               "run the same command again to continue");
  std::_Exit(base::exit_code(base::Errc::no_device));
}

}  // namespace rt::inline v0::detail

// Calls of StarPU's library find these before its own functions of these names, which abort, and
// before CUDA's.

extern "C" __attribute__((visibility("default"))) void starpu_cuda_report_error(
    const char* function, const char*, int, cudaError_t status) {
  rt::detail::end(
      base::cat("CUDA: ", cudaGetErrorString(status), " (in ", function, " of StarPU)"));
}

extern "C" __attribute__((visibility("default"))) void starpu_cublas_report_error(
    const char* function, const char*, int, int status) {
  rt::detail::end(base::cat("cuBLAS: status ", status, " (in ", function, " of StarPU)"));
}

/// StarPU asks this alone: whether a body has waited for its stream. It aborts where the answer is
/// an error. Bodies wait, and report what a device says to them themselves.
extern "C" __attribute__((visibility("default"))) cudaError_t cudaStreamQuery(cudaStream_t stream) {
  static const auto ask =
      reinterpret_cast<decltype(&cudaStreamQuery)>(::dlsym(RTLD_NEXT, "cudaStreamQuery"));
  const bool busy = ask != nullptr && ask(stream) == cudaErrorNotReady;
  return busy ? cudaErrorNotReady : cudaSuccess;
}
