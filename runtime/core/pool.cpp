#include <array>
#include <atomic>
#include <new>

#include "runtime/core/node.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

namespace {

constexpr std::size_t kStep = 64;
constexpr std::size_t kClasses = 16;

struct FreeBlock {
  FreeBlock* next;
};

/// One size: a list for the driver alone, and one that every thread pushes to and the driver takes
/// whole (so a pushed block never comes back while another thread compares heads).
struct SizeClass {
  FreeBlock* own = nullptr;
  alignas(64) std::atomic<FreeBlock*> given{nullptr};
};

std::array<SizeClass, kClasses> classes;

std::size_t class_of(std::size_t size) { return (size + kStep - 1) / kStep - 1; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPooled = false;  // the sanitizers should see every block begin and end
#else
constexpr bool kPooled = true;
#endif

}  // namespace

void* pool_take(std::size_t size) {
  const std::size_t index = class_of(size);
  if (!kPooled || index >= kClasses) return ::operator new(size);
  const std::size_t whole = (index + 1) * kStep;
  if (!this_thread().driver) return ::operator new(whole);
  SizeClass& c = classes[index];
  if (c.own == nullptr && c.given.load(std::memory_order_relaxed) != nullptr) {
    c.own = c.given.exchange(nullptr, std::memory_order_acquire);
  }
  if (c.own == nullptr) return ::operator new(whole);
  FreeBlock* block = c.own;
  c.own = block->next;
  return block;
}

void pool_give(void* memory, std::size_t size) noexcept {
  const std::size_t index = class_of(size);
  if (!kPooled || index >= kClasses) return ::operator delete(memory);
  SizeClass& c = classes[index];
  auto* block = static_cast<FreeBlock*>(memory);
  if (this_thread().driver) {
    block->next = c.own;
    c.own = block;
    return;
  }
  block->next = c.given.load(std::memory_order_relaxed);
  while (!c.given.compare_exchange_weak(block->next, block, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
}

}  // namespace rt::inline v0::detail
