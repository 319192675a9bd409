// operator new that can hand out memory which a device reads too, so that tests written for the
// program's memory run on a device as they are.

#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#include "tests/kernels/device.h"

namespace {

/// Blocks of powers of two out of one piece of memory; what is given back is handed out again.
class SharedMemory {
 public:
  void open(std::byte* begin, std::size_t size) {
    next_ = begin_ = begin;
    end_ = begin + size;
  }

  void* take(std::size_t size) {
    if (begin_ == nullptr) return nullptr;
    const std::scoped_lock lock(mutex_);
    const auto kind = static_cast<std::size_t>(std::bit_width(size + kHeader - 1));
    if (free_[kind] != nullptr) {
      Free* block = free_[kind];
      free_[kind] = block->next;
      return block;
    }
    const std::size_t whole = std::size_t{1} << kind;
    if (whole > static_cast<std::size_t>(end_ - next_)) return nullptr;
    *reinterpret_cast<std::size_t*>(next_) = kind;
    void* block = next_ + kHeader;
    next_ += whole;
    return block;
  }

  bool give_back(void* block) {
    auto* at = static_cast<std::byte*>(block);
    if (begin_ == nullptr || at < begin_ || at >= end_) return false;
    const std::scoped_lock lock(mutex_);
    const std::size_t kind = *reinterpret_cast<std::size_t*>(at - kHeader);
    free_[kind] = new (block) Free{free_[kind]};
    return true;
  }

 private:
  static constexpr std::size_t kHeader = 64;
  struct Free {
    Free* next;
  };

  std::mutex mutex_;
  std::byte *begin_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  Free* free_[64] = {};
};

constinit SharedMemory shared;

}  // namespace

namespace kern::test {

void share_new_memory(const Device& device) {
  constexpr std::size_t kSize = std::size_t{2} << 30;
  device.wait_for_each(true);
  shared.open(static_cast<std::byte*>(device.allocate_shared(kSize)), kSize);
}

}  // namespace kern::test

void* operator new(std::size_t size) {
  if (void* block = shared.take(size)) return block;
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (void* block = shared.take(size)) return block;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept {
  if (!shared.give_back(block)) std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }
