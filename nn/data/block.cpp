#include "nn/data/block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>

namespace nn {

namespace {

/// From here on new zero pages of the system are quicker than writing zeros, and cost nothing where
/// nobody writes.
constexpr std::size_t kMapped = std::size_t{64} << 20;

void clear(std::byte* memory, std::size_t size) {
  if (size >= kMapped) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    const std::size_t pages = (size - before) / page * page;
    if (::madvise(memory + before, pages, MADV_DONTNEED) == 0) {
      std::memset(memory, 0, before);
      std::memset(memory + before + pages, 0, size - before - pages);
      return;
    }
  }
  std::memset(memory, 0, size);
}

}  // namespace

Block::Block(std::size_t size) : size_(size) {
  const std::size_t room = aligned(size == 0 ? 1 : size);
  owned_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, room)));
  if (owned_ == nullptr) throw std::bad_alloc();
  data_ = owned_.get();
  clear(data_, room);
}

Block::Block(std::byte* memory, std::size_t size) : data_(memory), size_(size) {
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment != 0) {
    throw std::invalid_argument("a block must start on a 64-byte border");
  }
}

}  // namespace nn
