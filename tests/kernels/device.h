#pragma once
// Which device the tests of device code run on.

#include "kernels/device.h"

namespace kern::test {

/// To be called before the tests run. With `--gpu` among the arguments they use a CUDA device;
/// where there is none the program says why and ends with 77, as skipped. Else they use the device
/// code that runs on the host.
void choose_device(int argc, char** argv);

/// Whether device() is a CUDA device.
[[nodiscard]] bool on_gpu();
[[nodiscard]] const Device& device();

/// From now on all memory that `new` hands out is memory that kernels of this device can read, and
/// what they write is there when a call returns.
void share_new_memory(const Device& device);

}  // namespace kern::test
