#include "runtime/core/admission.h"

#include "base/clock.h"

namespace rt::inline v0::detail {

bool Admission::fits(const Node& node) const noexcept {
  return memory_used_ + node.needs.memory.value <= memory_ &&
         (node.needs.cpus == 1 || cores_used_ + node.needs.cpus <= cores_);
}

void Admission::take(Node& node) noexcept {
  node.admitted = true;
  memory_used_ += node.needs.memory.value;
  if (node.needs.cpus > 1) cores_used_ += node.needs.cpus;
}

bool Admission::admit(Node& node) {
  const std::scoped_lock lock(mutex_);
  if (!queue_.empty() || !fits(node)) {
    queue_.push_back(&node);
    accounting_.held(node.device, base::now());
    return false;
  }
  take(node);
  return true;
}

std::vector<Node*> Admission::give_back(const Node& node) noexcept {
  std::vector<Node*> admitted;
  const std::scoped_lock lock(mutex_);
  memory_used_ -= node.needs.memory.value;
  if (node.needs.cpus > 1) cores_used_ -= node.needs.cpus;
  while (!queue_.empty() && fits(*queue_.front())) {
    Node* next = queue_.front();
    queue_.pop_front();
    take(*next);
    accounting_.admitted(next->device, base::now());
    admitted.push_back(next);
  }
  return admitted;
}

}  // namespace rt::inline v0::detail
