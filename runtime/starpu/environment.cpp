#include "runtime/starpu/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/error.h"

namespace rt::inline v0::detail {

namespace {

bool can_be_made(const base::Path& folder) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  return !trouble && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

Setting::Setting(std::string name, const std::string& value) {
  if (std::getenv(name.c_str()) != nullptr) return;
  ::setenv(name.c_str(), value.c_str(), 1);
  name_ = std::move(name);
}

Setting::~Setting() {
  if (!name_.empty()) ::unsetenv(name_.c_str());
}

Setting::Setting(Setting&& other) noexcept : name_(std::exchange(other.name_, {})) {}

Setting memory_limit(int device, std::uint64_t bytes) {
  constexpr std::uint64_t kMega = 1 << 20;
  return {"STARPU_LIMIT_CUDA_" + std::to_string(device) + "_MEM",
          std::to_string(std::max<std::uint64_t>(1, bytes / kMega))};
}

void share_gpus(int workers, std::vector<Setting>& settings) {
  settings.emplace_back(kWorkersOfAGpu, std::to_string(workers));
  if (std::getenv("STARPU_CUDA_THREAD_PER_DEV") == nullptr)
    settings.emplace_back("STARPU_CUDA_THREAD_PER_WORKER", "1");
}

StarPuHome::StarPuHome() : kept_(base::cache_folder() / "starpu-home") {
  if (!can_be_made(kept_)) scratch_.emplace(kScratchPrefix);
}

void prepare_environment(const base::Path& home) {
  ::setenv("STARPU_HOME", home.c_str(), 1);
  ::setenv("STARPU_SILENT", "1", 1);
  ::setenv("STARPU_WORKERS_NOBIND", "1", 0);
}

}  // namespace rt::inline v0::detail
