#include "runtime/core/node.h"

#include "runtime/core/engine.h"
#include "runtime/core/group_state.h"
#include "runtime/core/pack_calls.h"

namespace rt::inline v0::detail {

bool Node::try_ref() noexcept {
  std::uint32_t seen = refs.load(std::memory_order_relaxed);
  do {
    if (seen == 0) return false;
  } while (!refs.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
  return true;
}

bool Node::inside(const GroupState& outer) const noexcept {
  return group != nullptr && group->inside(&outer);
}

void Node::empty() noexcept {
  if (emptied) return;
  emptied = true;
  for (Output& output : all_outputs()) {
    if (output.version == nullptr || output.version->gather == Gather::no) continue;
    Version* share = std::exchange(output.version, nullptr);
    share->end_share({}, nullptr);
    share->unref();
  }
  for (Input& input : all_inputs()) {
    input.box = BoxRef();
    if (input.version != nullptr) std::exchange(input.version, nullptr)->unhold();
  }
  info->signature->destroy_constants(*this);
}

namespace {

thread_local Node* dying = nullptr;
thread_local bool burying = false;

}  // namespace

void Node::destroy(Node* node) noexcept {
  // A chain of nodes that nobody asked for dies link by link: in a loop, since it may be longer
  // than the stack is deep.
  if (node->listed) {
    if (Engine* engine = Engine::current()) engine->lazy_nodes().remove(*node);
  }
  node->next = dying;
  dying = node;
  if (burying) return;
  burying = true;
  while (dying != nullptr) {
    Node* gone = dying;
    dying = gone->next;
    gone->empty();
    for (Output& output : gone->all_outputs()) {
      output.box = BoxRef();
      if (output.version != nullptr) output.version->unref();
    }
    if (gone->group != nullptr) gone->group->unref();
    delete gone->member;
    const std::size_t size = gone->size;
    gone->~Node();
    pool_give(gone, size);
  }
  burying = false;
}

}  // namespace rt::inline v0::detail
