#include "runtime/group.h"

#include <algorithm>
#include <utility>

#include "runtime/core/engine.h"

namespace rt::inline v0 {

Group::Group(std::string_view name) {
  detail::Engine& engine = detail::Engine::for_driver("making a rt::Group");
  const detail::GroupPtr& entered = engine.scope().group();
  detail::GroupState* outer = entered ? entered.get() : &engine.root();
  state_ = new detail::GroupState(std::string(name), outer);
  state_->box = engine.records().add_group(name, outer->box);
}

Group::Group(const Group& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->ref();
}

Group::Group(Group&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Group& Group::operator=(Group other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Group::~Group() {
  if (state_ != nullptr) state_->unref();
}

Group::Scope Group::enter() const { return Scope(state_); }

Group::Scope::Scope(detail::GroupState* group) : before_(nullptr) {
  detail::Engine& engine = detail::Engine::for_driver("entering a rt::Group");
  before_ = engine.scope().group().get();
  if (before_ != nullptr) before_->ref();  // a coroutine may keep the scope for longer than it
  engine.scope().enter(detail::GroupPtr::of(group));
}

Group::Scope::~Scope() {
  if (detail::Engine* engine = detail::Engine::current())
    engine->scope().enter(detail::GroupPtr::of(before_));
  if (before_ != nullptr) before_->unref();
}

void Group::cancel() const noexcept { state_->cancel(nullptr); }

bool Group::cancelled() const noexcept { return state_->cancelled.load(std::memory_order_acquire); }

std::stop_token Group::stop_token() const noexcept { return state_->stop.get_token(); }

void Group::wait() const { detail::Engine::for_driver("Group::wait").wait_group(*state_); }

base::Duration Group::busy() const noexcept {
  const std::scoped_lock lock(state_->mutex);
  if (state_->bodies == 0) return state_->busy;
  return state_->busy + std::max(base::now() - state_->busy_since, base::Duration::zero());
}

bool Group::running() const noexcept {
  const std::scoped_lock lock(state_->mutex);
  return state_->bodies > 0;
}

std::string Group::path() const { return state_->path(); }

}  // namespace rt::inline v0
