// What StarPU reads from the environment, set before it starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace rt::inline v0::detail {

/// A variable of the environment, set where the user did not set it, and only for the life of the
/// object: another runtime in this process finds its own machine. Movable, not copyable.
class Setting {
 public:
  Setting(std::string name, const std::string& value);
  ~Setting();
  Setting(Setting&& other) noexcept;
  Setting& operator=(Setting&&) = delete;

 private:
  std::string name_;  ///< empty: not ours to remove
};

/// What StarPU may allocate on a GPU, in whole MiB as it counts: at least one, as 0 would mean that
/// it does not count.
[[nodiscard]] Setting memory_limit(int device, std::uint64_t bytes);

/// What says how many workers StarPU makes of each GPU.
inline constexpr const char* kWorkersOfAGpu = "STARPU_NWORKER_PER_CUDA";

/// So many workers a GPU, each with a stream of its own, and, unless the user wants one thread a
/// device (STARPU_CUDA_THREAD_PER_DEV), with a thread of its own.
void share_gpus(int workers, std::vector<Setting>& settings);

/// What the names of temporary folders for StarPU's files begin with.
inline constexpr const char* kScratchPrefix = "trellis-starpu-";

/// The folder for StarPU's files: in our cache, or a temporary one where that can't be written, as
/// StarPU would abort.
class StarPuHome {
 public:
  StarPuHome();
  [[nodiscard]] const base::Path& path() const { return scratch_ ? scratch_->path() : kept_; }

 private:
  base::Path kept_;
  std::optional<base::TemporaryFolder> scratch_;
};

/// StarPU stays silent, its files are in `home`, and its workers are not bound to cores: two
/// programs bound to the same first cores would share them. What the user set for the binding
/// stays.
void prepare_environment(const base::Path& home);

}  // namespace rt::inline v0::detail
