#include "runtime/core/stuck.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/log.h"
#include "runtime/core/engine.h"
#include "runtime/core/promises.h"

namespace rt::inline v0::detail {

namespace {

/// The nodes that cannot start before versions settle: those that wait for them, and theirs.
class Behind {
 public:
  void add(const Version& version) {
    const std::size_t first = nodes.size();
    look(version);
    for (std::size_t i = first; i < nodes.size(); ++i) {
      for (const Output& output : nodes[i]->all_outputs()) {
        if (output.version != nullptr) look(*output.version);
      }
    }
  }

  std::vector<const Node*> nodes;

 private:
  void look(const Version& version) {
    for (const WaiterList* list : {&version.on_handed, &version.on_complete}) {
      for (const Waiter* w = list->waiting(); w != nullptr; w = w->next) {
        if (w->node != nullptr && seen_.insert(w->node).second) nodes.push_back(w->node);
      }
    }
  }

  std::unordered_set<const Node*> seen_;
};

/// The oldest call that waits for the promise itself.
const Node* first_in_line(const PromiseGuard& guard) {
  const Node* oldest = nullptr;
  for (const Waiter* w = guard.version()->on_complete.waiting(); w != nullptr; w = w->next) {
    if (w->node != nullptr && (oldest == nullptr || w->node->number < oldest->number))
      oldest = w->node;
  }
  return oldest;
}

/// "task 'add' (called at main.cpp:9) waits for the promise made at main.cpp:7, which was not set"
std::string text_of(const PromiseGuard& guard) {
  const Node* node = first_in_line(guard);
  if (node == nullptr) return "waiting for " + guard.text();
  return "task '" + node->info->name + "' (called at " + place_of(node->where) + ") waits for " +
         guard.text();
}

bool makes(const Node& node, const Version* version) {
  return std::ranges::any_of(node.all_outputs(),
                             [&](const Output& output) { return output.version == version; });
}

}  // namespace

std::string why_stuck(const Wait& wait) {
  for (const PromiseGuard* guard : open_promises()) {
    Behind behind;
    behind.add(*guard->version());
    const auto concerns = [&](const Node* node) {
      if (wait.awaited != nullptr) return makes(*node, wait.awaited);
      return wait.group == nullptr || node->inside(*wait.group);
    };
    const bool named =
        wait.coroutines
            ? guard->by_program() && guard->version()->on_complete.waiting() != nullptr
            : guard->version() == wait.awaited || std::ranges::any_of(behind.nodes, concerns);
    if (named) return text_of(*guard);
  }
  return "something that nothing can make any more";
}

std::uint64_t count_held_back() {
  Behind behind;
  for (const PromiseGuard* guard : open_promises()) behind.add(*guard->version());
  return static_cast<std::uint64_t>(std::ranges::count_if(behind.nodes, [](const Node* node) {
    return node->phase.load(std::memory_order_relaxed) == Phase::scheduled;
  }));
}

bool give_up_promises(Engine& engine) noexcept {
  bool any = false;
  for (const PromiseGuard* guard : open_promises()) {
    if (first_in_line(*guard) == nullptr) continue;
    const std::string reason = text_of(*guard);
    base::warn("the Runtime ends and cancels what can't run: " + reason);
    engine.poison(*guard->version(), std::make_exception_ptr(base::Error(
                                         base::Errc::usage, "the Runtime ended: " + reason)));
    any = true;
  }
  return any;
}

}  // namespace rt::inline v0::detail
