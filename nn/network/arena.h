#pragma once
// Placing buffers whose lifetimes are known in one block of memory.

#include <cstddef>
#include <vector>

namespace nn {

/// A buffer that holds something from time `first` to time `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0, last = 0;
  std::size_t offset = 0;  ///< set by place_buffers, a multiple of 64
};

/// Gives every buffer an offset so that buffers alive at the same time do not overlap, and returns
/// the size of the block. Greedy by size: the largest first, each at the lowest offset that is free
/// for its whole life. A function of the arguments alone.
[[nodiscard]] std::size_t place_buffers(std::vector<Lifetime>& buffers);

}  // namespace nn
