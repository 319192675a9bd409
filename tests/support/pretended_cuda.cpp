// CUDA's runtime without a device, to be preloaded: one GPU (PRETENDED_GPUS: so many, with one
// memory) whose memory is a part of the program's own, filled with garbage when it is handed out.
// PRETENDED_FAULT names one whose copies fail.
// With it StarPU's CUDA driver, its copies and its worker run where no GPU is; what runs on that
// worker must be device code for the host (kern::emulated_device).
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

constexpr std::size_t kCapacity = std::size_t{4} << 30;
constexpr std::size_t kLine = 256;

std::mutex mutex;
std::map<void*, std::size_t>& blocks() {
  static auto* all = new std::map<void*, std::size_t>;  // StarPU frees when the process ends
  return *all;
}
std::size_t used = 0;
thread_local int current = 0;
int somewhere = 0;  // what handles of streams, events and libraries point to

cudaError_t take(void** to, std::size_t bytes) {
  const std::size_t size = (bytes / kLine + 1) * kLine;
  const std::scoped_lock lock(mutex);
  if (size > kCapacity - used) return cudaErrorMemoryAllocation;
  *to = std::aligned_alloc(kLine, size);
  std::memset(*to, 0xA5, size);
  blocks()[*to] = size;
  used += size;
  return cudaSuccess;
}

template <class Handle>
void name(Handle* handle) {
  *handle = reinterpret_cast<Handle>(&somewhere);
}

bool fails() {
  const char* named = std::getenv("PRETENDED_FAULT");
  return named != nullptr && std::atoi(named) == current;
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(static_cast<char*>(to) + i * to_pitch,
                static_cast<const char*>(from) + i * from_pitch, width);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const char* wanted = std::getenv("PRETENDED_GPUS");
  *count = wanted != nullptr ? std::atoi(wanted) : 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  current = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "pretended");
  properties->totalGlobalMem = kCapacity;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  const std::scoped_lock lock(mutex);
  *left = kCapacity - used;
  *all = kCapacity;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "pretended"; }

cudaError_t cudaMalloc(void** to, std::size_t bytes) { return take(to, bytes); }
cudaError_t cudaFree(void* memory) {
  const std::scoped_lock lock(mutex);
  const auto block = blocks().find(memory);
  if (block == blocks().end()) return memory == nullptr ? cudaSuccess : cudaErrorInvalidValue;
  used -= block->second;
  blocks().erase(block);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  *to = std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine);
  return *to != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  *there = here;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* of, const void* memory) {
  const std::scoped_lock lock(mutex);
  *of = {};
  of->type =
      blocks().contains(const_cast<void*>(memory)) ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (fails()) return cudaErrorLaunchFailure;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t rows, cudaMemcpyKind) {
  if (fails()) return cudaErrorLaunchFailure;
  copy_rows(to, to_pitch, from, from_pitch, width, rows);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, kind);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  name(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  name(event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

// The libraries that StarPU makes a handle of for each worker: all of them give 0 for success.
#define HANDLE(function)        \
  int function(void** handle) { \
    name(handle);               \
    return 0;                   \
  }
#define NOTHING(function) \
  int function() { return 0; }
HANDLE(cublasCreate_v2)
HANDLE(cublasLtCreate)
HANDLE(cusolverDnCreate)
HANDLE(cusolverRfCreate)
HANDLE(cusolverSpCreate)
HANDLE(cusparseCreate)
NOTHING(cublasInit)
NOTHING(cublasShutdown)
NOTHING(cublasSetKernelStream)
NOTHING(cublasSetStream_v2)
NOTHING(cublasDestroy_v2)
NOTHING(cublasLtDestroy)
NOTHING(cusolverDnSetStream)
NOTHING(cusolverDnDestroy)
NOTHING(cusolverRfDestroy)
NOTHING(cusolverSpSetStream)
NOTHING(cusolverSpDestroy)
NOTHING(cusparseSetStream)
NOTHING(cusparseDestroy)

}  // extern "C"
