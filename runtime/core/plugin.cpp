// Loading the executors that live in shared objects of their own.
#include "base/plugin.h"
#include "base/error.h"
#include "runtime/core/backend.h"

extern "C" const char* trellis_runtime_stamp();  // made by tools/stamp.py

namespace rt::detail {

std::unique_ptr<Backend> load_backend(const std::string& flavour, const Config& config) {
  const base::Plugin plugin{.file = "trellis-" + flavour + ".so",
                            .made_in = "runtime/starpu",
                            .stamp = trellis_runtime_stamp(),
                            .needs = "StarPU"};
  void* make = nullptr;
  try {
    make = base::plugin_function(plugin, "trellis_make_backend");
  } catch (const base::Error& error) {
    if (error.kind() != base::Errc::no_device) throw;
    throw base::Error(base::Errc::no_device, "executor " + flavour + ": " + error.what());
  }
  return std::unique_ptr<Backend>(reinterpret_cast<MakeBackend>(make)(config));
}

}  // namespace rt::detail
