#include "runtime/core/handles.h"

namespace rt::inline v0::detail {

void* Handles::add(Box& box) {
  const std::scoped_lock lock(mutex_);
  if (void* known = box.handle.load(std::memory_order_relaxed)) return known;
  void* handle = box.ops->buffer && box.bytes != 0
                     ? backend_.register_buffer(box.host_bytes(), box.bytes)
                     : backend_.register_buffer(nullptr, 0);
  box.next = first_;
  if (first_ != nullptr) first_->prev = &box;
  first_ = &box;
  box.handle.store(handle, std::memory_order_release);
  return handle;
}

void Handles::release(Box& box) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    (box.prev != nullptr ? box.prev->next : first_) = box.next;
    if (box.next != nullptr) box.next->prev = box.prev;
  }
  backend_.unregister_buffer(box.handle.exchange(nullptr));
}

void Handles::take_back_all() {
  const std::scoped_lock lock(mutex_);
  while (first_ != nullptr) {
    Box* box = first_;
    first_ = box->next;
    void* handle = box->handle.exchange(nullptr);
    backend_.fetch(handle);
    backend_.unregister_buffer(handle);
    box->prev = box->next = nullptr;
  }
}

}  // namespace rt::inline v0::detail
