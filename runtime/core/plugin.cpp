// Loading the executors that live in shared objects of their own.
#include "base/plugin.h"
#include "base/error.h"
#include "runtime/core/backend.h"

extern "C" const char* trellis_runtime_stamp();  // made by tools/stamp.py

namespace rt::inline v0::detail {

namespace {

void* function_of(const std::string& flavour, const char* name) {
  const base::Plugin plugin{.file = "trellis-" + flavour + ".so",
                            .made_in = "runtime/starpu",
                            .stamp = trellis_runtime_stamp(),
                            .needs = "StarPU"};
  try {
    return base::plugin_function(plugin, name);
  } catch (const base::Error& error) {
    if (error.kind() != base::Errc::no_device) throw;
    throw base::Error(base::Errc::no_device, "executor " + flavour + ": " + error.what());
  }
}

}  // namespace

std::unique_ptr<Backend> load_backend(const std::string& flavour, const Config& config) {
  void* const make = function_of(flavour, "trellis_make_backend");
  return std::unique_ptr<Backend>(reinterpret_cast<MakeBackend>(make)(config));
}

void run_in_simulation(const Config& config, const std::function<void()>& job) {
  void* const run = function_of("starpu-simgrid", "trellis_run_in_simulation");
  reinterpret_cast<RunInSimulation>(run)(config, job);
}

}  // namespace rt::inline v0::detail
