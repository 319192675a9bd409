#include "kernels/cuda/driver.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "kernels/cuda/device_errors.h"
#include "kernels/cuda/module.h"
#include "kernels/feed.h"
#include "kernels/reserve.h"

namespace kern::cuda {
namespace {

std::atomic<bool> wait_for_each{false};

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // it is no fault of the next call
  const std::string why = std::string("CUDA: ") + cudaGetErrorString(code);
  if (code == cudaErrorMemoryAllocation) throw OutOfMemory(why);
  if (is_for_good(code)) throw DeviceGone(why);
  throw DeviceError(why);
}

void check(cublasStatus_t code) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  const std::string why = std::string("cuBLAS: ") + cublasGetStatusString(code);
  if (code == CUBLAS_STATUS_ALLOC_FAILED) {
    (void)cudaGetLastError();
    throw OutOfMemory(why);
  }
  check(cudaGetLastError());
  throw DeviceError(why);
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
    for (const Slot& slot : slots_) {
      if (slot.arrived != nullptr) cudaEventDestroy(slot.arrived);
      if (slot.free != nullptr) cudaEventDestroy(slot.free);
    }
    if (copies_ != nullptr) cudaStreamDestroy(copies_);
    if (recording_ != nullptr) cudaStreamDestroy(recording_);
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

  /// What is called from now on is kept instead of run. In a stream of its own, since nobody else's
  /// calls may meet one that records.
  void begin_recording() {
    if (recording_ == nullptr) check(cudaStreamCreateWithFlags(&recording_, cudaStreamNonBlocking));
    before_ = stream();
    check(cudaStreamBeginCapture(recording_, cudaStreamCaptureModeThreadLocal));
    try {
      use(recording_);
    } catch (...) {
      stream_ = before_;
      cudaGraph_t half = nullptr;
      if (cudaStreamEndCapture(recording_, &half) == cudaSuccess) cudaGraphDestroy(half);
      (void)cudaGetLastError();
      throw;
    }
  }
  [[nodiscard]] bool records() const { return recording_ != nullptr && stream_ == recording_; }
  [[nodiscard]] cudaGraphExec_t end_recording() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t whole = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(recording_, &graph);
    use(before_);
    check(ended);
    const cudaError_t code = cudaGraphInstantiate(&whole, graph, 0);
    cudaGraphDestroy(graph);
    check(code);
    return whole;
  }

  /// A slot of copies that go on beside the stream.
  struct Slot {
    cudaEvent_t arrived = nullptr, free = nullptr;
  };
  [[nodiscard]] Slot& slot(int number) {
    Slot& one = slots_.at(static_cast<std::size_t>(number));
    if (one.arrived == nullptr)
      check(cudaEventCreateWithFlags(&one.arrived, cudaEventDisableTiming));
    if (one.free == nullptr) check(cudaEventCreateWithFlags(&one.free, cudaEventDisableTiming));
    return one;
  }
  [[nodiscard]] cudaStream_t copies() {
    if (copies_ == nullptr) check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
    return copies_;
  }

  [[nodiscard]] cublasHandle_t blas(Precision precision) {
    if (blas_ == nullptr) {
      if (workspace_ == nullptr) workspace_ = driver::allocate(kProductWorkspace);
      check(cublasCreate(&blas_));
      try {
        attach();
      } catch (...) {
        cublasDestroy(std::exchange(blas_, nullptr));  // a handle without a stream is none
        throw;
      }
    }
    // f32 is f32 whatever the environment asks for.
    const cublasMath_t mode =
        precision == Precision::f32 ? CUBLAS_PEDANTIC_MATH : CUBLAS_DEFAULT_MATH;
    if (mode_ != mode) check(cublasSetMathMode(blas_, mode));
    mode_ = mode;
    return blas_;
  }

 private:
  /// A workspace of one size: cuBLAS chooses an order of sums by what it is given.
  void attach() {
    check(cublasSetStream(blas_, stream()));
    check(cublasSetWorkspace(blas_, workspace_, kProductWorkspace));
  }

  cudaStream_t stream_ = nullptr, own_ = nullptr, copies_ = nullptr;
  cudaStream_t recording_ = nullptr, before_ = nullptr;
  std::array<Slot, Feed::kSlots> slots_{};
  cublasHandle_t blas_ = nullptr;
  cublasMath_t mode_ = CUBLAS_DEFAULT_MATH;
  void* workspace_ = nullptr;
};

/// What cuBLAS may round the operands of a product of floats to.
cublasComputeType_t arithmetic_of(Precision precision) {
  switch (precision) {
    case Precision::f32:
      break;
    case Precision::bf16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
    case Precision::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
  }
  return CUBLAS_COMPUTE_32F_PEDANTIC;
}

Queue& queue() {
  thread_local std::map<int, Queue> of_devices;
  int device = 0;
  check(cudaGetDevice(&device));
  return of_devices[device];
}

/// Behind everything that a queue is asked for.
void settle() {
  if (wait_for_each && !queue().records()) driver::wait();
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
  wait();  // a copy to memory that is not pinned would wait within CUDA, where it holds others up
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, queue().stream()));
  wait();
}

void zero(void* memory, std::size_t bytes) {
  if (bytes > 0) check(cudaMemsetAsync(memory, 0, bytes, queue().stream()));
  settle();
}

void wait() { check(cudaStreamSynchronize(queue().stream())); }

void* allocate_staging(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes == 0 ? 1 : bytes, cudaHostAllocPortable) != cudaSuccess) {
    (void)cudaGetLastError();
    throw std::bad_alloc();
  }
  return memory;
}

void release_staging(void* memory) noexcept { cudaFreeHost(memory); }

// An event that was never recorded is one that has passed.

void begin_copy(int slot, void* to, const void* from, std::size_t bytes) {
  Queue& own = queue();
  const Queue::Slot& events = own.slot(slot);
  check(cudaStreamWaitEvent(own.copies(), events.free, 0));
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, own.copies()));
  check(cudaEventRecord(events.arrived, own.copies()));
}

void copy_arrived(int slot) {
  Queue& own = queue();
  check(cudaStreamWaitEvent(own.stream(), own.slot(slot).arrived, 0));
}

void copy_given_back(int slot) {
  Queue& own = queue();
  check(cudaEventRecord(own.slot(slot).free, own.stream()));
}

void copy_vacated(int slot) { check(cudaEventSynchronize(queue().slot(slot).arrived)); }

void begin_recording() { queue().begin_recording(); }
void* end_recording() { return queue().end_recording(); }
void run_recording(void* recording) {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(recording), queue().stream()));
  settle();
}
void release_recording(void* recording) noexcept {
  cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recording));
}

void product(const GemmArgs<float>& g, Precision precision) {
  // cuBLAS reads matrices by columns: what it takes for C^T = op(B)^T op(A)^T is our C.
  const auto turn = [](bool on) { return on ? CUBLAS_OP_T : CUBLAS_OP_N; };
  check(cublasGemmEx(queue().blas(precision), turn(g.trans_b), turn(g.trans_a), g.n, g.m, g.k,
                     &g.alpha, g.b, CUDA_R_32F, g.ldb, g.a, CUDA_R_32F, g.lda, &g.beta, g.c,
                     CUDA_R_32F, g.ldc, arithmetic_of(precision), CUBLAS_GEMM_DEFAULT));
  settle();
}

void products(const GemmArgs<float>& g, int count, const Strides& strides) {
  const auto turn = [](bool on) { return on ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto far = [](std::size_t stride) { return static_cast<long long>(stride); };
  check(cublasSgemmStridedBatched(queue().blas(Precision::f32), turn(g.trans_b), turn(g.trans_a),
                                  g.n, g.m, g.k, &g.alpha, g.b, g.ldb, far(strides.b), g.a, g.lda,
                                  far(strides.a), &g.beta, g.c, g.ldc, far(strides.c), count));
  settle();
}

void* stream() { return queue().stream(); }

void launched() {
  check(cudaGetLastError());
  settle();
}

}  // namespace driver
}  // namespace kern::cuda
