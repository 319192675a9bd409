// The content of a version: a small object on the host, or a buffer (its header as an object, its
// bytes with the executor).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "runtime/core/counted.h"
#include "runtime/core/type_ops.h"

namespace rt::inline v0::detail {

struct Away;

/// Counted by the versions and running tasks that need it. The object lies behind the struct, in
/// the same allocation.
struct Box {
  std::atomic<std::uint32_t> refs{1};
  /// Set once two values share the content (equal tasks merged): never updated in place from then
  /// on.
  std::atomic<bool> shared{false};
  /// Whether the object behind has been made. Written before the version that holds the box says it
  /// is ready.
  bool made = false;
  const TypeOps* ops;
  void* object;
  std::byte* memory = nullptr;  ///< a buffer's host bytes when the box (not the object) owns them
  std::size_t bytes = 0;        ///< their number, or the object's own
  /// The executor's name for the bytes (or for the turn on a commutative object); null until it is
  /// first needed.
  std::atomic<void*> handle{nullptr};
  Box* owner =
      nullptr;  ///< one reference: the object that owns the bytes when `object` is a view on them
  Away* away = nullptr;  ///< owned: the content was made elsewhere (away.h)
  Box* prev = nullptr;   ///< boxes with a handle, so that an ending runtime can take them back
  Box* next = nullptr;

  void ref() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }

  /// An empty box for an object of the type: to be filled at `object`, then marked `made`.
  static Box* create(const TypeOps& ops);
  /// A box whose `bytes` bytes of host memory the box owns, 64-byte aligned, not yet touched; no
  /// object.
  static Box* create_buffer(const TypeOps& ops, std::size_t bytes);
  static void destroy(Box* box) noexcept;

  /// Where a buffer's bytes are on the host: the box's own memory or that of its object.
  [[nodiscard]] std::byte* host_bytes() const noexcept {
    if (memory != nullptr || !made || !ops->buffer) return memory;
    return ops->bytes(object).data();
  }
  /// Unmakes the object, if any.
  void clear() noexcept {
    if (made) ops->destroy(object);
    made = false;
  }
};

/// Owner of one count of a box.
using BoxRef = Counted<Box, &Box::ref, &Box::unref>;

/// A box holding `value`.
template <class T>
BoxRef make_box(T&& value) {
  using Plain = std::remove_cvref_t<T>;
  BoxRef box(Box::create(*type_ops<Plain>()));
  new (box->object) Plain(std::forward<T>(value));
  box->made = true;
  if constexpr (BufferType<Plain>) box->bytes = type_ops<Plain>()->byte_size(box->object);
  return box;
}

}  // namespace rt::inline v0::detail
