#include "tasks/device.h"

#include <atomic>
#include <string>

#include "base/error.h"
#include "base/plugin.h"
#include "kernels/cuda_module.h"
#include "kernels/reserve.h"
#include "runtime/process.h"

namespace tasks {

namespace {

std::atomic<const kern::Device*> in_use{nullptr};

void* find_cuda(const kern::CudaModule& module, std::string& why) {
  try {
    return base::plugin_function(
        {.file = module.file, .made_in = module.made_in, .stamp = module.stamp, .needs = "CUDA"},
        module.function);
  } catch (const base::Error& error) {
    why = error.what();
    return nullptr;
  }
}

const kern::Kernels<float>& kernels_for(const rt::Context& context, kern::Precision precision) {
  if (in_use == nullptr)
    throw base::Error(base::Errc::internal, "a task for a GPU before setup_gpus");
  const kern::Device& device = *in_use;
  device.use_stream(context.stream());
  return device.kernels(precision);
}

}  // namespace

const kern::Device* cuda_device(std::string& why) {
  kern::find_cuda_with(find_cuda);
  return kern::cuda_device(why);
}

void setup_gpus() {
  if (in_use != nullptr) return;
  std::string why;
  const kern::Device* found = cuda_device(why);
  if (found == nullptr)
    throw base::Error(base::Errc::no_device, "networks cannot compute on a GPU here: " + why);
  compute_with(found);
}

void compute_with(const kern::Device* device) {
  in_use = device;
  rt::set_fingerprint(rt::Device::cuda, gpu_arithmetic());
}

std::string gpu_arithmetic() {
  const kern::Device* device = in_use;
  return device == nullptr ? "" : device->fingerprint();
}

rt::ByteCount gpu_reserve() noexcept { return {kern::kDeviceReserve}; }

OnGpu::OnGpu(rt::Context& context, kern::Precision precision)
    : kernels(kernels_for(context, precision)),
      lease_(context.local<nn::Workspace>(), *kernels.memory, context.scratch()) {}

TableOnGpu::TableOnGpu(const rt::Context& context, const kern::Memory& memory,
                       const nn::Dataset& data)
    : data_(data) {
  if (!context.streams()) there_.emplace(memory, data);
}

nn::DataView TableOnGpu::view(nn::Part part) const {
  return there_ ? there_->view(part) : data_.view(part);
}

}  // namespace tasks
