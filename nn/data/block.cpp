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
/// From here on large pages are asked for: rows are read in random order, and looking up the
/// address of each takes as long as reading it.
constexpr std::size_t kLargePages = std::size_t{8} << 20;

/// The whole pages of a piece of memory, and how much lies before them.
struct Pages {
  Pages(const std::byte* memory, std::size_t size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    bytes = (size - before) / page * page;
  }
  std::size_t before, bytes;
};

void clear(std::byte* memory, std::size_t size) {
  if (size >= kMapped) {
    const Pages pages(memory, size);
    if (::madvise(memory + pages.before, pages.bytes, MADV_DONTNEED) == 0) {
      const std::size_t behind = pages.before + pages.bytes;
      std::memset(memory, 0, pages.before);
      std::memset(memory + behind, 0, size - behind);
      return;
    }
  }
  std::memset(memory, 0, size);
}

/// Only a wish: where the system has no large pages nothing changes.
void ask_for_large_pages(std::byte* memory, std::size_t size) {
#if defined(MADV_HUGEPAGE)
  if (size < kLargePages) return;
  const Pages pages(memory, size);
  (void)::madvise(memory + pages.before, pages.bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace

Block::Block(std::size_t size) : size_(size) {
  const std::size_t room = aligned(size == 0 ? 1 : size);
  owned_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, room)));
  if (owned_ == nullptr) throw std::bad_alloc();
  data_ = owned_.get();
  ask_for_large_pages(data_, room);
  clear(data_, room);
}

Block::Block(std::byte* memory, std::size_t size) : data_(memory), size_(size) {
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment != 0) {
    throw std::invalid_argument("a block must start on a 64-byte boundary");
  }
}

}  // namespace nn
