#pragma once
// Who takes the gradients of a network.

#include <cstddef>

#include "kernels/kernels.h"

namespace nn {

/// Takes gradients as soon as they are there, while they are still in the cache.
template <class T>
class GradientSink {
 public:
  virtual ~GradientSink() = default;
  /// `gradient[i]` is that of number `offset + i` of the slab, which may change: this pass has read
  /// it for the last time. The memory is used again afterwards.
  virtual void take(kern::Exec& exec, std::size_t offset, std::size_t count, const T* gradient) = 0;
};

}  // namespace nn
