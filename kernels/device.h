#pragma once
// Devices with memory of their own: what there is besides their table of kernels.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/kernels.h"

namespace kern {

/// The three convolutions of a layer.
enum class ConvStep : std::uint8_t { forward, backward_data, backward_weights };

/// One kind of device. Every thread has a queue for its kernels on the device that CUDA has it work
/// with; functions are about the calling thread's.
struct Device {
  /// One a precision; see kernels().
  const Kernels<float>& (*tables)(Precision);
  /// Kernels go to this stream (a cudaStream_t) from now on, instead of one of the thread's own.
  void (*use_stream)(void* stream);
  /// Waits for every kernel where it is called: for programs that read its memory themselves.
  void (*wait_for_each)(bool on);
  /// Memory that the program and kernels may both follow pointers into, for tests; never
  /// given back.
  void* (*allocate_shared)(std::size_t bytes);
  /// Bytes that can still be allocated, and all that there are.
  void (*memory_left)(std::size_t& left, std::size_t& all);
  /// Names the arithmetic: libraries with versions, kind of device. Equal strings promise equal
  /// bits for equal inputs.
  std::string (*fingerprint)();
  /// For benchmarks: the least seconds that the device's library of convolutions takes for one,
  /// called again and again, by any of its algorithms that round no more than the precision does,
  /// deterministic or not, with images in the layout that suits it and all the memory it wants. 0
  /// where there is no library.
  double (*library_conv_seconds)(const Window&, Precision, ConvStep);

  /// The table whose products, those of convolutions too, round their operands to that precision,
  /// as the device does it.
  [[nodiscard]] const Kernels<float>& kernels(Precision precision = Precision::f32) const {
    return tables(precision);
  }
};

/// The table of devices as far as networks are planned with it, there where no device is, too:
/// sizes alone are right, nothing may be computed.
[[nodiscard]] const Kernels<float>& device_plans();

/// CUDA devices. Loads what talks to them at the first call: null where that, a driver or a device
/// is missing, with one line in `why`.
[[nodiscard]] const Device* cuda_device(std::string& why);

/// The device code run on the host, one thread after another: for tests of its arithmetic, not a
/// device that anybody should compute with.
[[nodiscard]] const Device& emulated_device();

}  // namespace kern
