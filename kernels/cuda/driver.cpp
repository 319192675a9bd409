#include "kernels/cuda/driver.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <atomic>
#include <map>
#include <string>

#include "kernels/cuda/module.h"

namespace kern::cuda {
namespace {

std::atomic<bool> wait_for_each{false};

void check(cudaError_t code) {
  if (code != cudaSuccess) throw DeviceError(std::string("CUDA: ") + cudaGetErrorString(code));
}

void check(cublasStatus_t code) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS: ") + cublasGetStatusString(code));
}

/// What a thread uses of one device.
class Queue {
 public:
  Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    // At the end of a process CUDA may be gone already: then these refuse, and nothing is lost.
    if (blas_ != nullptr) cublasDestroy(blas_);
    if (workspace_ != nullptr) cudaFree(workspace_);
    if (own_ != nullptr) cudaStreamDestroy(own_);
  }

  void use(cudaStream_t stream) {
    if (stream_ == stream) return;
    stream_ = stream;
    if (blas_ != nullptr) attach();
  }

  [[nodiscard]] cudaStream_t stream() {
    if (stream_ == nullptr) {
      check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
      stream_ = own_;
    }
    return stream_;
  }

  [[nodiscard]] cublasHandle_t blas() {
    if (blas_ == nullptr) {
      check(cublasCreate(&blas_));
      check(cublasSetMathMode(blas_, CUBLAS_PEDANTIC_MATH));  // whatever the environment asks for
      workspace_ = driver::allocate(kWorkspace);
      attach();
    }
    return blas_;
  }

 private:
  /// A workspace of one size: cuBLAS chooses an order of sums by what it is given.
  static constexpr std::size_t kWorkspace = std::size_t{32} << 20;

  void attach() {
    check(cublasSetStream(blas_, stream()));
    check(cublasSetWorkspace(blas_, workspace_, kWorkspace));
  }

  cudaStream_t stream_ = nullptr, own_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  void* workspace_ = nullptr;
};

Queue& queue() {
  thread_local std::map<int, Queue> of_devices;
  int device = 0;
  check(cudaGetDevice(&device));
  return of_devices[device];
}

}  // namespace

void use_stream(void* stream) { queue().use(static_cast<cudaStream_t>(stream)); }

void set_wait_for_each(bool on) { wait_for_each = on; }

void* allocate_shared(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
  return memory;
}

void memory_left(std::size_t& left, std::size_t& all) { check(cudaMemGetInfo(&left, &all)); }

namespace driver {

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // it is no fault of the next call
    std::size_t left = 0, all = 0;
    memory_left(left, all);
    throw OutOfMemory("the device has " + std::to_string(left) + " of its " + std::to_string(all) +
                      " bytes left, not " + std::to_string(bytes));
  }
  check(code);
  return memory;
}

void release(void* memory) noexcept { cudaFree(memory); }

void to_device(void* to, const void* from, std::size_t bytes) {
  // From memory that is not pinned: copied aside before it returns.
  if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, queue().stream()));
}

void to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, queue().stream()));
  wait();
}

void zero(void* memory, std::size_t bytes) {
  if (bytes > 0) check(cudaMemsetAsync(memory, 0, bytes, queue().stream()));
  if (wait_for_each) wait();
}

void wait() { check(cudaStreamSynchronize(queue().stream())); }

void product(const GemmArgs<float>& g) {
  // cuBLAS reads matrices by columns: what it takes for C^T = op(B)^T op(A)^T is our C.
  const auto turn = [](bool on) { return on ? CUBLAS_OP_T : CUBLAS_OP_N; };
  check(cublasSgemm(queue().blas(), turn(g.trans_b), turn(g.trans_a), g.n, g.m, g.k, &g.alpha, g.b,
                    g.ldb, g.a, g.lda, &g.beta, g.c, g.ldc));
  if (wait_for_each) wait();
}

void* stream() { return queue().stream(); }

void launched() {
  check(cudaGetLastError());
  if (wait_for_each) wait();
}

}  // namespace driver
}  // namespace kern::cuda
