// Finding and loading the executors that live in shared objects of their own.
#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/core/backend.h"

extern "C" const char* trellis_runtime_stamp();  // made by stamp.py

namespace rt::detail {

namespace {

/// Refuses a plugin that was built from other headers: what the two hand each other would be
/// misread.
void require_same_build(void* library, const Path& file) {
  void* stamp = ::dlsym(library, "trellis_plugin_stamp");
  const std::string found =
      stamp != nullptr ? reinterpret_cast<const char* (*)()>(stamp)() : "none";
  const std::string expected = trellis_runtime_stamp();
  if (found == expected) return;
  throw Error(Errc::storage, file.string() + " was built from another runtime than this one (" +
                                 found + ", expected " + expected +
                                 "): build or install both together");
}

/// Where plugins may be: the folder asked for, beside this library, in the build tree beside it.
std::vector<Path> folders() {
  std::vector<Path> found;
  if (const char* asked = std::getenv("TRELLIS_PLUGIN_DIR"); asked != nullptr && *asked != '\0') {
    found.emplace_back(asked);
  }
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&load_backend), &self) != 0 &&
      self.dli_fname != nullptr) {
    const Path here = std::filesystem::absolute(self.dli_fname).parent_path();
    found.push_back(here);
    found.push_back(here / "trellis");
    found.push_back(here / "starpu");
    found.push_back(here.parent_path() / "runtime");
  }
  return found;
}

}  // namespace

std::unique_ptr<Backend> load_backend(const std::string& flavour, const Config& config) {
  const std::string file = "trellis-" + flavour + ".so";
  std::string reason =
      "there is no " + file + " (the program was built without StarPU; `trellis doctor` says more)";
  for (const Path& folder : folders()) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / file, ignored)) continue;
    // Never closed: threads and handlers of the libraries behind it may outlive the Runtime.
    void* library = ::dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      reason = ::dlerror();
      continue;
    }
    require_same_build(library, folder / file);
    void* symbol = ::dlsym(library, "trellis_make_backend");
    if (symbol == nullptr) {
      reason = (folder / file).string() + " is not a plugin of this version";
      continue;
    }
    return std::unique_ptr<Backend>(reinterpret_cast<MakeBackend>(symbol)(config));
  }
  throw Error(Errc::no_device, "executor " + flavour + ": " + reason);
}

}  // namespace rt::detail
