#include "runtime/core/version.h"

#include <mutex>

#include "runtime/core/engine.h"
#include "runtime/core/node.h"
#include "runtime/core/open.h"

namespace rt::inline v0::detail {

void WaiterList::fire_all(Waiter* head) noexcept {
  if (head == closed()) return;
  Waiter* in_order = nullptr;
  while (head != nullptr) {
    Waiter* next = head->next;
    head->next = in_order;
    in_order = head;
    head = next;
  }
  while (in_order != nullptr) {
    Waiter* next = in_order->next;
    in_order->fire(in_order);
    in_order = next;
  }
}

void WaiterList::remove(Waiter* waiter) noexcept {
  Waiter* head = waiting();
  if (head == waiter) return head_.store(waiter->next, std::memory_order_release);
  for (; head != nullptr; head = head->next) {
    if (head->next == waiter) head->next = waiter->next;
  }
}

Version* Version::create(const TypeOps* type) {
  auto* version = new (pool_take(sizeof(Version))) Version(type);
  version->refs.store(1, std::memory_order_relaxed);
  version->holds.store(1, std::memory_order_relaxed);
  return version;
}

bool Version::try_hold() noexcept {
  std::uint32_t seen = holds.load(std::memory_order_relaxed);
  do {
    if (seen == 0 || (seen & kClaimed) != 0) return false;
  } while (!holds.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
  return true;
}

bool Version::claim() noexcept {
  std::uint32_t only = 1;
  if (!holds.compare_exchange_strong(only, only | kClaimed, std::memory_order_acq_rel))
    return false;
  // Only now: whoever shared the content before this held it, and nobody gets a hold any more.
  if (!box || !box->shared.load(std::memory_order_acquire)) return true;
  holds.fetch_and(~kClaimed, std::memory_order_acq_rel);
  return false;
}

void Version::settle(BoxRef content, Stage end, Failure* cause) noexcept {
  // Its node and an answer may both come, with equal content, at the same time.
  if (settling.exchange(true, std::memory_order_acq_rel)) return;
  // A buffer that was released early is in its place already, and others may be looking at it.
  if (at() == Stage::waiting && !box) box = std::move(content);
  if (cause != nullptr) {
    cause->ref();
    failure = cause;
  }
  ref();
  stage.store(end, std::memory_order_release);
  on_handed.close();
  on_complete.close();
  unref();
}

void Version::end_share(const BoxRef& content, Failure* cause, Stage end) noexcept {
  if (gather == Gather::content) {
    static std::mutex first_wins;
    const std::scoped_lock lock(first_wins);
    if (cause != nullptr && failure == nullptr) {
      cause->ref();
      failure = cause;
      gathered = end;
    }
    if (content && !box) box = content;
  }
  if (shares.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  ref();
  stage.store(gathered, std::memory_order_release);
  on_handed.close();
  on_complete.close();
  unref();
}

void Version::abandoned() noexcept {
  if (listed) {
    if (Engine* engine = Engine::current()) engine->answers().forget(*this);
  }
  Node* node = producer;
  unref();
  if (node != nullptr) node->unref();
}

void Version::destroy(Version* version) noexcept {
  // Whoever still waits is the record of a coroutine that is gone.
  version->on_complete.close();
  if (version->failure != nullptr) version->failure->unref();
  delete version->open;
  version->~Version();
  pool_give(version, sizeof(Version));
}

Held given(BoxRef box) {
  Held version(Version::create(box->ops));
  version->box = std::move(box);
  version->stage.store(Stage::ready, std::memory_order_release);
  version->on_handed.close();
  version->on_complete.close();
  return version;
}

Held gathered_version(const TypeOps* ops, Gather kind) {
  Held made(Version::create(ops));
  made->gather = kind;
  made->shares.store(1, std::memory_order_relaxed);
  return made;
}

}  // namespace rt::inline v0::detail
