#include "base/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace base {

namespace {

/// Refuses a plugin that was built from other headers: what the two hand each other would be
/// misread.
void require_same_build(void* library, const Path& file, const std::string& expected) {
  void* stamp = ::dlsym(library, "trellis_plugin_stamp");
  const std::string found =
      stamp != nullptr ? reinterpret_cast<const char* (*)()>(stamp)() : "none";
  if (found == expected) return;
  throw Error(Errc::storage, file.string() + " was built from another runtime than this one (" +
                                 found + ", expected " + expected +
                                 "): build or install both together");
}

std::vector<Path> folders(const Plugin& plugin) {
  std::vector<Path> found;
  if (const char* asked = std::getenv("TRELLIS_PLUGIN_DIR"); asked != nullptr && *asked != '\0') {
    found.emplace_back(asked);
  }
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&plugin_function), &self) != 0 &&
      self.dli_fname != nullptr) {
    const Path here = std::filesystem::absolute(self.dli_fname).parent_path();
    found.push_back(here);
    found.push_back(here / "trellis");
    found.push_back(here.parent_path() / plugin.made_in);
  }
  return found;
}

}  // namespace

void* plugin_function(const Plugin& plugin, const std::string& name) {
  std::string reason = "there is no " + plugin.file + " (the program was built without " +
                       plugin.needs + "; `trellis doctor` says more)";
  for (const Path& folder : folders(plugin)) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / plugin.file, ignored)) continue;
    // Never closed: threads and handlers of the libraries behind it may outlive who asked for it.
    void* library = ::dlopen((folder / plugin.file).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      reason = ::dlerror();
      continue;
    }
    require_same_build(library, folder / plugin.file, plugin.stamp);
    if (void* function = ::dlsym(library, name.c_str())) return function;
    reason = (folder / plugin.file).string() + " is not a plugin of this version";
  }
  throw Error(Errc::no_device, reason);
}

}  // namespace base
