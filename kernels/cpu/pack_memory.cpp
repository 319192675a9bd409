#include "kernels/cpu/pack_memory.h"

#include <memory>
#include <new>

namespace kern::cpu {
namespace {

struct Release {
  void operator()(float* p) const { ::operator delete (p, std::align_val_t{64}); }
};

}  // namespace

float* pack_memory() {
  static thread_local const std::unique_ptr<float, Release> memory(
      static_cast<float*>(::operator new (kPackFloats * sizeof(float), std::align_val_t{64})));
  return memory.get();
}

}  // namespace kern::cpu
