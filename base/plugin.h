// Shared objects of the program that are loaded when something needs them.
#pragma once

#include <string>

namespace base {

/// How one is found, and told from that of another build.
struct Plugin {
  std::string file;     ///< "trellis-kernels-cuda.so"
  std::string made_in;  ///< its folder in the build tree: "kernels/cuda"
  std::string stamp;    ///< what its `trellis_plugin_stamp` must return (tools/stamp.py)
  std::string needs;    ///< what a program without it was built without, for people: "CUDA"
};

/// The address of its function `name`. Looked for in the folder that TRELLIS_PLUGIN_DIR names,
/// beside this library, in `trellis` beside it, and in the build tree, wherever the program was
/// started; the first file that loads counts, and is never unloaded. Throws base::Error: no_device
/// with the reason where there is none, storage where it was built from other headers.
[[nodiscard]] void* plugin_function(const Plugin& plugin, const std::string& name);

}  // namespace base
