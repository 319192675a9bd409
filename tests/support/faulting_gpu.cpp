// A GPU that fails for good, to be preloaded: the wait for a stream that FAULT_AT counts to (the
// first is 1) meets a kernel that writes where no memory is. It links nothing of CUDA: what it
// linked would be found before the functions that the program puts in place of CUDA's.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace {

constexpr const char* kWriteNowhere = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry write_nowhere()
{
  .reg .b64 %nowhere;
  .reg .b32 %one;
  mov.u64 %nowhere, 4;
  mov.u32 %one, 1;
  st.global.u32 [%nowhere], %one;
  ret;
}
)";

template <class F>
F* function_of(const std::string& library, const char* name) {
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* found = loaded != nullptr ? ::dlsym(loaded, name) : nullptr;
  if (found == nullptr) std::abort();
  return reinterpret_cast<F*>(found);
}

template <class F>
F* of_driver(F*, const char* name) {
  return function_of<F>("libcuda.so.1", name);
}

void fault(cudaStream_t stream) {
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  (void)of_driver(&cuModuleLoadData, "cuModuleLoadData")(&module, kWriteNowhere);
  (void)of_driver(&cuModuleGetFunction, "cuModuleGetFunction")(&kernel, module, "write_nowhere");
  (void)of_driver(&cuLaunchKernel, "cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr,
                                                     nullptr);
}

void count_wait(cudaStream_t stream) {
  static std::atomic<int> waits{0};
  const char* named = std::getenv("FAULT_AT");
  if (named != nullptr && ++waits == std::atoi(named)) fault(stream);
}

}  // namespace

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  static const auto wait = function_of<cudaError_t(cudaStream_t)>(
      "libcudart.so." + std::to_string(CUDART_VERSION / 1000), "cudaStreamSynchronize");
  count_wait(stream);
  return wait(stream);
}
