#include "runtime/core/box.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/core/engine.h"
#include "runtime/core/shipping.h"

namespace rt::inline v0::detail {

namespace {

constexpr std::size_t kLine = 64;

std::size_t object_offset(const TypeOps& ops) {
  return (sizeof(Box) + ops.align - 1) / ops.align * ops.align;
}

std::align_val_t box_align(const TypeOps& ops) {
  return std::align_val_t{ops.align > alignof(Box) ? ops.align : alignof(Box)};
}

/// Memory at a boundary of cache lines, and in front of it where malloc's block begins. Not by
/// aligned_alloc, which asks the heap for more than it keeps: a block that was freed is too small
/// for the next one of its size, so that the heap of a long study grows without end.
std::byte* allocate_lines(std::size_t bytes) {
  void* block = std::malloc(bytes + kLine + sizeof(void*));
  if (block == nullptr) throw std::bad_alloc();
  const auto first = reinterpret_cast<std::uintptr_t>(block) + sizeof(void*);
  auto* memory = reinterpret_cast<std::byte*>((first + kLine - 1) / kLine * kLine);
  std::memcpy(memory - sizeof(void*), &block, sizeof(void*));
  return memory;
}

void free_lines(std::byte* memory) noexcept {
  if (memory == nullptr) return;
  void* block = nullptr;
  std::memcpy(&block, memory - sizeof(void*), sizeof(void*));
  std::free(block);
}

}  // namespace

Box* Box::create(const TypeOps& ops) {
  void* memory = ::operator new(object_offset(ops) + ops.size, box_align(ops));
  Box* box = new (memory) Box;
  box->ops = &ops;
  box->object = static_cast<std::byte*>(memory) + object_offset(ops);
  box->bytes = ops.size;
  return box;
}

Box* Box::create_buffer(const TypeOps& ops, std::size_t bytes) {
  BoxRef box(create(ops));
  box->bytes = bytes;
  if (bytes != 0) {
    // malloc keeps large blocks it has seen once in its heap, so the slabs of a long study do not
    // fault pages in again.
    box->memory = allocate_lines((bytes + kLine - 1) / kLine * kLine);
  }
  box->ref();
  return box.get();
}

void Box::destroy(Box* box) noexcept {
  if (box->handle.load(std::memory_order_acquire) != nullptr) {
    if (Engine* engine = Engine::current()) engine->handles().release(*box);
  }
  if (box->away != nullptr) {
    if (Engine* engine = Engine::current(); engine != nullptr && engine->shipping() != nullptr)
      engine->shipping()->release(box->away->key);
    delete box->away;
  }
  box->clear();
  if (box->owner != nullptr) box->owner->unref();
  free_lines(box->memory);
  const TypeOps& ops = *box->ops;
  box->~Box();
  ::operator delete(static_cast<void*>(box), box_align(ops));
}

}  // namespace rt::inline v0::detail
