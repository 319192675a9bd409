#pragma once
// Numbers of a kernel table where the program can read them.

#include <cstddef>
#include <vector>

#include "kernels/kernels.h"

namespace nn {

/// `count` numbers of `memory`: in `copy`, unless the program reads them where they are. What
/// computes them has ended then.
template <class T>
[[nodiscard]] const T* brought_here(const kern::Memory& memory, const T* numbers, std::size_t count,
                                    std::vector<T>& copy) {
  if (memory.own) return numbers;
  copy.resize(count);
  memory.get(copy.data(), numbers, count * sizeof(T));
  return copy.data();
}

}  // namespace nn
