#include "runtime/core/coroutines.h"

#include <utility>

namespace rt::inline v0::detail {

Coroutines::~Coroutines() {
  for (WaitRecord* left : ready_) delete_record(left);
}

WaitRecord* Coroutines::take_ready() noexcept {
  if (ready_.empty()) return nullptr;
  WaitRecord* first = ready_.front();
  ready_.pop_front();
  return first;
}

void Coroutines::destroy_spawned() noexcept {
  while (!spawned_.empty()) {
    void* frame = *spawned_.begin();
    spawned_.erase(spawned_.begin());
    std::coroutine_handle<>::from_address(frame).destroy();
  }
}

void Coroutines::throw_unheard() {
  while (!errors_.empty()) {
    const Error oldest = std::move(errors_.front());
    errors_.pop_front();
    if (oldest.version->holds.load() == 1) std::rethrow_exception(oldest.error);
  }
}

}  // namespace rt::inline v0::detail
