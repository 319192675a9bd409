#include "runtime/starpu/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "runtime/base/file.h"

namespace rt::detail {

namespace {

Path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return cache;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return Path(home) / ".cache";
  return {};
}

/// The folder for StarPU's files, made and writable; empty when there is no such place in the
/// cache.
Path starpu_home() {
  const Path cache = cache_folder();
  if (cache.empty()) return {};
  const Path folder = cache / "trellis" / "starpu-home";
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  return trouble || ::access(folder.c_str(), W_OK | X_OK) != 0 ? Path() : folder;
}

Path temporary_home() {
  std::string pattern = (std::filesystem::temp_directory_path() / "trellis-starpu-XXXXXX").string();
  const char* made = ::mkdtemp(pattern.data());
  if (made == nullptr)
    throw Error(Errc::storage, "no folder for StarPU's files: neither the cache nor " + pattern +
                                   " can be written");
  return made;
}

}  // namespace

void prepare_environment() {
  Path home = starpu_home();
  if (home.empty()) home = temporary_home();
  ::setenv("STARPU_HOME", home.c_str(), 1);
  ::setenv("STARPU_SILENT", "1", 1);
  ::setenv("STARPU_WORKERS_NOBIND", "1", 0);
}

}  // namespace rt::detail
