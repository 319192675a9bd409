#include "runtime/core/lazy_nodes.h"

#include <algorithm>

namespace rt::inline v0::detail {

void LazyNodes::add(Node& node) {
  const std::scoped_lock lock(mutex_);
  node.listed = true;
  node.prev = last_;
  node.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &node;
  last_ = &node;
}

void LazyNodes::remove(Node& node) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!node.listed) return;
  node.listed = false;
  (node.prev != nullptr ? node.prev->next : first_) = node.next;
  (node.next != nullptr ? node.next->prev : last_) = node.prev;
  node.prev = node.next = nullptr;
}

void LazyNodes::clear() noexcept {
  const std::scoped_lock lock(mutex_);
  while (first_ != nullptr) {
    first_->listed = false;
    first_ = first_->next;
  }
}

std::vector<Node*> LazyNodes::in(const GroupState* group) {
  std::vector<Node*> found;
  const std::scoped_lock lock(mutex_);
  for (Node* node = first_; node != nullptr; node = node->next) {
    if ((group == nullptr || node->inside(*group)) && node->try_ref()) found.push_back(node);
  }
  return found;
}

bool LazyNodes::awaits_answers(const GroupState& group) {
  const auto awaited = [](const Output& output) {
    const Version* made = output.version;
    return made != nullptr && made->gather == Gather::no && made->wanted && !made->settled() &&
           made->holds.load() != 0;
  };
  const std::scoped_lock lock(mutex_);
  for (Node* node = first_; node != nullptr; node = node->next) {
    if (node->inside(group) && std::ranges::any_of(node->all_outputs(), awaited)) return true;
  }
  return false;
}

}  // namespace rt::inline v0::detail
