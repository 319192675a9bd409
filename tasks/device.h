#pragma once
// The GPUs that tasks compute with.

#include <string>

#include "kernels/device.h"
#include "runtime/context.h"

namespace tasks {

/// To be called on the driver thread before the first task for a GPU: loads what talks to the
/// devices, and makes their arithmetic part of such tasks' keys. Throws rt::Error (no_device) with
/// the reason where that is not possible. Repeating it does nothing.
void setup_gpus();

/// The device whose table `.cuda` bodies use, in place of CUDA's: for tests. Null: CUDA's again.
void compute_with(const kern::Device* device);

/// The arithmetic of GPUs in words; empty until setup_gpus() was called.
[[nodiscard]] std::string gpu_arithmetic();

/// In a `.cuda` body: the table of its worker's device, whose kernels go to the worker's stream.
[[nodiscard]] const kern::Kernels<float>& gpu_kernels(const rt::Context& context);

}  // namespace tasks
