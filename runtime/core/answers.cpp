#include "runtime/core/answers.h"

#include <memory>

#include "runtime/core/contents.h"
#include "runtime/core/engine.h"

namespace rt::inline v0::detail {

namespace {

/// Gives a version the content of an equal one, once that is there; then the driver gives back what
/// the node of the answered version would have read.
struct Alias : Waiter, Event {
  Version* from;  ///< a hold
  Version* to;    ///< a reference, and a hold once it was found to be wanted still
  bool wanted = false;
  Alias(Version* held, Version* answered) : from(held), to(answered) {
    to->ref();
    Waiter::fire = &arrive;
    Event::handle = [](Event* self, Engine& engine) {
      const std::unique_ptr<Alias> alias(static_cast<Alias*>(self));
      alias->go_on(engine);
    };
  }
  Alias(const Alias&) = delete;
  Alias& operator=(const Alias&) = delete;
  ~Alias() {
    from->unhold();
    to->unref();
  }

  /// Gives the content of the equal version on, which is complete, and the alias to the driver.
  static void arrive(Waiter* self) noexcept {
    auto* const alias = static_cast<Alias*>(self);
    const Version& from = *alias->from;
    // When its group was cancelled, ours was not.
    const bool dropped = from.at() == Stage::cancelled && from.failure->cancelled;
    alias->wanted = alias->to->try_hold();
    if (alias->wanted && !dropped) share(alias->from, alias->to);
    Engine::current()->mailbox().send(alias);
  }
  /// Lets `to` have the content of `from`, which neither may change from then on.
  static void share(Version* from, Version* to) noexcept {
    if (from->box) from->box->shared.store(true, std::memory_order_release);
    to->settle(from->box, from->at(), from->failure);
  }

 private:
  void go_on(Engine& engine) const {
    to->borrows = false;
    if (!wanted) return;
    const Held needed(to);
    if (to->settled()) return engine.settle_unneeded(to->producer);
    to->producer->missed = false;
    engine.demand(to);
  }
};

}  // namespace

void Answers::enlist(const Node& node) {
  if (!node.keyed) return;
  for (const Output& output : node.all_outputs()) {
    Version* version = output.version;
    if (version->gather != Gather::no || version->settled()) continue;
    // It leaves the table when its last hold goes: one that has none would never leave it.
    if (!version->try_hold()) continue;
    {
      const std::scoped_lock lock(mutex_);
      version->listed = true;
      live_[version->key] = version;
    }
    version->unhold();
  }
}

void Answers::forget(const Version& version) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto at = live_.find(version.key);
  if (at != live_.end() && at->second == &version) live_.erase(at);
}

bool Answers::answer(Version& version) {
  return answer_from_live(version) || answer_from_store(version);
}

bool Answers::answer_from_live(Version& version) {
  Version* other = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = live_.find(version.key);
    if (at == live_.end() || at->second == &version || !at->second->try_hold()) return false;
    other = at->second;
  }
  if (other->at() > Stage::ready) {
    other->unhold();  // it failed or was cancelled: ours may not
    return false;
  }
  ++merged_;
  if (other->at() == Stage::ready) {
    Alias::share(other, &version);
    other->unhold();
    return true;
  }
  version.borrows = true;
  auto alias = std::make_unique<Alias>(other, &version);
  if (other->on_complete.add(alias.get())) {
    (void)alias.release();
  } else {
    Alias::arrive(alias.release());
  }
  return true;
}

BoxRef Answers::read_stored(const TypeOps& ops, base::Key key, bool& found) {
  const Store::Blob blob = store_ != nullptr ? store_->lookup(key) : nullptr;
  found = blob != nullptr;
  if (!found) return {};
  try {
    return decoded_box(ops, *blob);
  } catch (const base::Error&) {
    store_->erase(key);
    found = false;
    return {};
  }
}

bool Answers::answer_from_store(Version& version) {
  if (version.producer->info->keep == Keep::never) return false;
  bool found = false;
  BoxRef box = read_stored(*version.ops, version.key, found);
  if (!found) {
    records_.miss(version);
    return false;
  }
  ++stored_;
  records_.stored(*version.producer);
  version.settle(std::move(box), Stage::ready, nullptr);
  return true;
}

Held stored_version(const TypeOps& ops, base::Key key) {
  Engine& engine = Engine::for_driver("stored()");
  bool found = false;
  BoxRef box = engine.answers().read_stored(ops, key, found);
  if (!found) return {};
  Held version = given(std::move(box));
  version->key = key;
  return version;
}

}  // namespace rt::inline v0::detail
