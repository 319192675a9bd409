#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/cuda/conv_plan.h"
#include "kernels/cuda/whole_tables.h"
#include "kernels/device.h"

namespace kern {
namespace {

constexpr const char* kFile = "trellis-kernels-cuda.so";

struct Loaded {
  const Device* device = nullptr;
  std::string why;
};

/// Where the shared object may be: beside the program or library that this code is in, as installed
/// and as built.
std::vector<std::filesystem::path> folders() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&cuda_device), &self) == 0 ||
      self.dli_fname == nullptr)
    return {};
  const auto here = std::filesystem::absolute(self.dli_fname).parent_path();
  return {here,
          here / "trellis",
          here.parent_path() / "lib" / "trellis",
          here.parent_path() / "kernels" / "cuda",
          here.parent_path().parent_path() / "kernels" / "cuda",
          here.parent_path().parent_path().parent_path() / "kernels" / "cuda"};
}

Loaded load() {
  Loaded out;
  for (const auto& folder : folders()) {
    std::error_code ignored;
    const std::string file = (folder / kFile).string();
    if (!std::filesystem::exists(file, ignored)) continue;
    // Never closed: CUDA's own threads outlive what is done with it.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      out.why = ::dlerror();
      return out;
    }
    void* symbol = ::dlsym(library, "trellis_cuda_device");
    if (symbol == nullptr) {
      out.why = file + " is not of this version";
      return out;
    }
    const char* why = nullptr;
    const Device* found = reinterpret_cast<const Device* (*)(const char**)>(symbol)(&why);
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
  out.why = "the program was built without CUDA";
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

const Device* cuda_device(std::string& why) {
  static const Loaded loaded = load();
  why = loaded.why;
  return loaded.device;
}

}  // namespace kern
