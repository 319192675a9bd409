#include "nn/data/block.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>

namespace nn {

Block::Block(std::size_t size) : size_(size) {
  const std::size_t room = aligned(size == 0 ? 1 : size);
  owned_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, room)));
  if (owned_ == nullptr) throw std::bad_alloc();
  data_ = owned_.get();
  std::memset(data_, 0, room);
}

Block::Block(std::byte* memory, std::size_t size) : data_(memory), size_(size) {
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment != 0) {
    throw std::invalid_argument("a block must start on a 64-byte border");
  }
}

}  // namespace nn
