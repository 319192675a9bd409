#pragma once
// The shared object that talks to CUDA devices, as whoever loads it has to know it.

#include <string>

namespace kern {

struct CudaModule {
  const char* file = "trellis-kernels-cuda.so";
  const char* made_in = "kernels/cuda";          ///< its folder in the build tree
  const char* function = "trellis_cuda_device";  ///< what is called in it
  const char* stamp = "";  ///< what it and this program were built from (tools/stamp.py)
};

/// To be called before the first cuda_device() (kernels/device.h), which finds no device without:
/// `find` loads the module and returns the address of its function, or null with one line in `why`.
void find_cuda_with(void* (*find)(const CudaModule& module, std::string& why));

}  // namespace kern
