#include <string>

#include "kernels/cuda/conv_plan.h"
#include "kernels/cuda/whole_tables.h"
#include "kernels/cuda_module.h"
#include "kernels/device.h"

extern "C" const char* trellis_kernels_stamp();  // made by tools/stamp.py

namespace kern {
namespace {

void* (*finder)(const CudaModule&, std::string&) = nullptr;

struct Loaded {
  const Device* device = nullptr;
  std::string why;
};

Loaded load() {
  Loaded out{nullptr, "nobody said where the kernels for CUDA devices are"};
  if (finder == nullptr) return out;
  void* function = finder({.stamp = trellis_kernels_stamp()}, out.why);
  if (function == nullptr) return out;
  const char* why = "";
  const Device* found = reinterpret_cast<const Device* (*)(const char**)>(function)(&why);
  if (found == nullptr) {
    out.why = why;
    return out;
  }
  static const auto tables = whole_tables(found->tables);
  static Device device = *found;
  device.tables = [](Precision p) -> const Kernels<float>& { return tables.at(p); };
  out.device = &device;
  return out;
}

constexpr Memory kNowhere{.own = false,
                          .allocate = nullptr,
                          .release = nullptr,
                          .put = nullptr,
                          .get = nullptr,
                          .zero = nullptr};

}  // namespace

const Kernels<float>& device_plans() {
  static const Kernels<float> kernels = [] {
    Kernels<float> table = cpu_kernels();
    table.memory = &kNowhere;
    table.conv_scratch = device_conv_scratch;
    return table;
  }();
  return kernels;
}

void find_cuda_with(void* (*find)(const CudaModule& module, std::string& why)) { finder = find; }

const Device* cuda_device(std::string& why) {
  static const Loaded loaded = load();
  why = loaded.why;
  return loaded.device;
}

}  // namespace kern
