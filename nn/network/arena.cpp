#include "nn/network/arena.h"

#include <algorithm>
#include <numeric>

#include "nn/data/block.h"

namespace nn {

std::size_t place_buffers(std::vector<Lifetime>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });

  std::size_t total = 0;
  std::vector<const Lifetime*> placed;  // by offset
  for (const std::size_t i : order) {
    Lifetime& buffer = buffers[i];
    std::size_t offset = 0;
    for (const Lifetime* other : placed) {
      if (other->last < buffer.first || buffer.last < other->first) continue;
      if (offset + buffer.bytes <= other->offset) break;
      offset = std::max(offset, Block::aligned(other->offset + other->bytes));
    }
    buffer.offset = offset;
    total = std::max(total, Block::aligned(offset + buffer.bytes));
    const auto where = std::ranges::upper_bound(placed, offset, {}, &Lifetime::offset);
    placed.insert(where, &buffer);
  }
  return total;
}

}  // namespace nn
