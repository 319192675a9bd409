#include "runtime/core/group_state.h"

#include <algorithm>
#include <utility>

#include "runtime/core/engine.h"

namespace rt::inline v0::detail {

GroupState::GroupState(std::string group_name, GroupState* outer)
    : name(std::move(group_name)), parent(outer) {
  if (parent == nullptr) return;
  parent->ref();
  const std::scoped_lock lock(parent->mutex);
  parent->children.push_back(this);
  if (parent->cancelled.load()) {
    cancelled.store(true);
    stop.request_stop();
  }
}

GroupState::~GroupState() {
  if (parent != nullptr) {
    {
      const std::scoped_lock lock(parent->mutex);
      std::erase(parent->children, this);
    }
    parent->unref();
  }
  if (failure != nullptr) failure->unref();
}

void GroupState::cancel(Failure* cause) noexcept {
  std::vector<GroupState*> inside_it;
  {
    const std::scoped_lock lock(mutex);
    if (cause != nullptr && failure == nullptr) {
      cause->ref();
      failure = cause;
    }
    if (cancelled.exchange(true)) return;
    for (GroupState* child : children) {
      // One that is dying just now has no task left.
      std::uint32_t seen = child->refs.load(std::memory_order_relaxed);
      while (seen != 0 && !child->refs.compare_exchange_weak(seen, seen + 1)) {
      }
      if (seen != 0) inside_it.push_back(child);
    }
  }
  stop.request_stop();
  for (GroupState* child : inside_it) {
    child->cancel(cause);
    child->unref();
  }
  if (Engine* engine = Engine::current()) engine->cancelled_group();
}

void GroupState::begin_task() noexcept {
  for (GroupState* g = this; g->parent != nullptr; g = g->parent) {
    g->unfinished.fetch_add(1, std::memory_order_relaxed);
  }
}

bool GroupState::end_task() noexcept {
  bool last = false;
  for (GroupState* g = this; g->parent != nullptr; g = g->parent) {
    if (g->unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) last = true;
  }
  return last;
}

void GroupState::body_begins(base::Moment at) noexcept {
  for (GroupState* group = this; group->parent != nullptr; group = group->parent) {
    const std::scoped_lock lock(group->mutex);
    if (group->bodies++ == 0) group->busy_since = at;
  }
}

void GroupState::body_ends(base::Moment at) noexcept {
  for (GroupState* group = this; group->parent != nullptr; group = group->parent) {
    const std::scoped_lock lock(group->mutex);
    if (--group->bodies == 0)
      group->busy += std::max(at - group->busy_since, base::Duration::zero());
  }
}

void GroupState::body_ran(base::Duration took, base::Moment end) noexcept {
  for (GroupState* group = this; group->parent != nullptr; group = group->parent) {
    const std::scoped_lock lock(group->mutex);
    group->busy += std::max(std::min(took, end - group->ran_until), base::Duration::zero());
    group->ran_until = std::max(group->ran_until, end);
  }
}

bool GroupState::inside(const GroupState* outer) const noexcept {
  for (const GroupState* g = this; g != nullptr; g = g->parent) {
    if (g == outer) return true;
  }
  return false;
}

std::string GroupState::path() const {
  if (parent == nullptr) return name;
  const std::string before = parent->path();
  return before.empty() ? name : before + '/' + name;
}

}  // namespace rt::inline v0::detail
