#pragma once
// The GPUs that tasks compute with.

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernels/device.h"
#include "kernels/kernels.h"
#include "nn/data/resident.h"
#include "nn/network/workspace.h"
#include "runtime/context.h"
#include "runtime/gpu_failure.h"
#include "runtime/resources.h"
#include "tasks/tasks.h"

namespace tasks {

/// CUDA devices. Loads what talks to them at the first call: null where that, a driver or a device
/// is missing, with one line in `why`.
[[nodiscard]] const kern::Device* cuda_device(std::string& why);

/// To be called on the driver thread before the first task for a GPU: loads what talks to the
/// devices, and makes their arithmetic part of such tasks' keys. Throws base::Error (no_device)
/// with the reason where that is not possible. Repeating it does nothing.
void setup_gpus();

/// The device whose table `.cuda` bodies use, in place of CUDA's: for tests. Null: CUDA's again.
void compute_with(const kern::Device* device);

/// The arithmetic of GPUs in words; empty until setup_gpus() was called.
[[nodiscard]] std::string gpu_arithmetic();

/// What a runtime keeps free on each GPU for these bodies (rt::Config::gpu_reserve).
[[nodiscard]] rt::ByteCount gpu_reserve() noexcept;

/// Runs what a `.cuda` body does and turns the device's failures into errors of tasks: DeviceLost,
/// or base::Error (no_device) once this process can use the device no more.
template <class Body>
decltype(auto) translated(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const kern::DeviceGone& error) {
    rt::report_gpu_failure(error.what());
    throw base::Error(
        base::Errc::no_device,
        std::string(error.what()) +
            ": this process can no longer use the device; run the same command again to "
            "continue");
  } catch (const kern::DeviceError& error) {
    throw DeviceLost(error.what());
  }
}

/// In a `.cuda` body, for as long as it computes: a table of its worker's device, whose kernels
/// go to the worker's stream, and the task's scratch as what the worker's workspace has there.
class OnGpu {
 public:
  OnGpu(rt::Context& context, kern::Precision precision);
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  const kern::Kernels<float>& kernels;

 private:
  nn::Workspace::Lease lease_;
};

/// In a `.cuda` body the table that it reads: on its device, or, where none holds it, in main
/// memory, from where rows come as they are needed.
class TableOnGpu {
 public:
  /// Both outlive this.
  TableOnGpu(const rt::Context& context, const kern::Memory& memory, const nn::Dataset& data);

  /// Valid while this is.
  [[nodiscard]] nn::DataView view(nn::Part part) const;

 private:
  const nn::Dataset& data_;
  std::optional<nn::ResidentDataset> there_;
};

}  // namespace tasks
