#include "base/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.h"
#include "base/executable.h"
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

}  // namespace

void* plugin_function(const Plugin& plugin, const std::string& name) {
  std::string reason = "there is no " + plugin.file + " (the program was built without " +
                       plugin.needs + "; `trellis doctor` says more)";
  for (const Path& folder : folders_of_parts(plugin.made_in)) {
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
