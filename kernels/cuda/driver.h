#pragma once
// What a device does besides running kernels, for the thread that asks: memory, copies, products of
// matrices. Everything happens in the order of the calls, on the thread's queue. driver.cpp talks
// to CUDA, emulated_driver.cpp stands in for it.

#include <cstddef>
#ifdef KERN_EMULATED
#include <functional>
#endif

#include "kernels/kernels.h"

namespace kern::KERN_ON::driver {

/// Throws OutOfMemory.
[[nodiscard]] void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
/// The host's memory may change when this returns.
void to_device(void* to, const void* from, std::size_t bytes);
/// Waits for all that was asked before.
void to_host(void* to, const void* from, std::size_t bytes);
void zero(void* memory, std::size_t bytes);
void wait();

/// Feed (kernels/feed.h), for slots below Feed::kSlots.
[[nodiscard]] void* allocate_staging(std::size_t bytes);
void release_staging(void* memory) noexcept;
void begin_copy(int slot, void* to, const void* from, std::size_t bytes);
void copy_arrived(int slot);
void copy_given_back(int slot);
void copy_vacated(int slot);

/// Recorder (kernels/step_buffer.h).
void begin_recording();
[[nodiscard]] void* end_recording();
void run_recording(void* recording);
void release_recording(void* recording) noexcept;

/// GemmArgs with m, n and k above 0, all pointers to device memory.
void product(const GemmArgs<float>& g, Precision precision);

/// Numbers from a matrix to the next.
struct Strides {
  std::size_t a, b, c;
};
/// `count` such products in f32, of matrices that lie one behind the other.
void products(const GemmArgs<float>& g, int count, const Strides& strides);

#ifdef KERN_EMULATED
/// While one lives, the thread may touch what allocate() returned: as a kernel on a device may, and
/// the host may not.
class Open {
 public:
  Open();
  ~Open();
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};
/// Whether threads and blocks run from the last to the first.
[[nodiscard]] bool reversed() noexcept;
void reverse(bool on) noexcept;
/// Keeps the call for a recording, where one is made; false: it is to be run now.
[[nodiscard]] bool recorded(std::function<void()> call);
#else
/// The cudaStream_t of the thread's queue.
[[nodiscard]] void* stream();
/// Behind each launch: throws DeviceError where it was refused.
void launched();
#endif

}  // namespace kern::KERN_ON::driver
