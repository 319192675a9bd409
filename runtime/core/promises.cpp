// Promises, and the end of waiting for one that nobody can set any more.
//
// Promises are set on the driver thread. So while that blocks, a task behind a promise cannot run,
// nor what needs it: once nothing else is left to run either, the wait would last for ever. What
// is behind an open promise can be walked by the driver at any time: no worker touches it before
// the promise is set.
#include "runtime/core/promises.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/log.h"
#include "runtime/core/engine.h"

namespace rt::detail {

namespace {

struct Guards {
  std::mutex mutex;
  std::list<const PromiseGuard*> all;
};

Guards& guards() {
  static Guards guards;
  return guards;
}

/// Promises that are not set, the program's own first.
std::vector<const PromiseGuard*> open_promises() {
  Guards& known = guards();
  const std::scoped_lock lock(known.mutex);
  std::vector<const PromiseGuard*> found;
  for (const PromiseGuard* guard : known.all) {
    if (guard->open()) found.push_back(guard);
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const PromiseGuard* guard) { return guard->by_program(); });
  return found;
}

/// The nodes that cannot start before the version settles: those that wait for it, and theirs.
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

std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ':' + std::to_string(where.line());
}

/// "task 'add' (called at main.cpp:9) waits for the promise made at main.cpp:7, which was not set"
std::string text_of(const PromiseGuard& guard) {
  const Node* node = first_in_line(guard);
  if (node == nullptr) return "waiting for " + guard.text();
  return "task '" + node->info->name + "' (called at " + place(node->where) + ") waits for " +
         guard.text();
}

bool makes(const Node& node, const Version* version) {
  return std::ranges::any_of(node.all_outputs(),
                             [&](const Output& output) { return output.version == version; });
}

}  // namespace

PromiseGuard::PromiseGuard(Held version, Promiser by, std::source_location where)
    : version_(std::move(version)), by_(by), where_(where) {
  Guards& known = guards();
  const std::scoped_lock lock(known.mutex);
  entry_ = known.all.insert(known.all.end(), this);
}

PromiseGuard::~PromiseGuard() {
  {
    Guards& known = guards();
    const std::scoped_lock lock(known.mutex);
    known.all.erase(entry_);
  }
  Engine* engine = Engine::current();
  if (engine == nullptr || version_->settled()) return;
  engine->poison(version_.get(),
                 std::make_exception_ptr(
                     base::Error(base::Errc::usage, "a promise was dropped before it was set")));
}

std::string PromiseGuard::text() const {
  if (by_program()) return "the promise made at " + place(where_) + ", which was not set";
  return "the coroutine started at " + place(where_) + ", which does not go on meanwhile";
}

Held promised(const TypeOps* type) { return Held(Version::create(type)); }

void fulfil(Version* version, BoxRef box) {
  Engine& engine = Engine::for_driver("Promise::set");
  if (version->settled()) throw base::Error(base::Errc::usage, "Promise::set: it was set already");
  if (version->ops == type_ops<void>()) box = BoxRef();
  engine.held_back = 0;
  version->settle(std::move(box), Stage::ready, nullptr);
  engine.drain_ready();
}

void refuse(Version* version, std::exception_ptr error) {
  Engine& engine = Engine::for_driver("Promise::fail");
  if (version->settled()) throw base::Error(base::Errc::usage, "Promise::fail: it was set already");
  engine.poison(version, std::move(error));
}

void Engine::poison(Version* version, std::exception_ptr error) {
  auto* failure = new Failure;
  failure->error = std::move(error);
  held_back = 0;
  version->settle({}, Stage::failed, failure);
  failure->unref();
  drain_ready();
}

std::uint64_t Engine::count_held_back() const {
  Behind behind;
  for (const PromiseGuard* guard : open_promises()) behind.add(*guard->version());
  return static_cast<std::uint64_t>(std::ranges::count_if(behind.nodes, [](const Node* node) {
    return node->phase.load(std::memory_order_relaxed) == Phase::scheduled;
  }));
}

void Engine::throw_stuck(const Wait& wait) {
  progress_.wake_never();
  std::string reason = "something that nothing can make any more";
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
    if (!named) continue;
    reason = text_of(*guard);
    break;
  }
  throw base::Error(base::Errc::usage,
                    std::string(wait.action) + ": it would never end: " + reason);
}

bool Engine::give_up_promises() noexcept {
  bool any = false;
  for (const PromiseGuard* guard : open_promises()) {
    if (first_in_line(*guard) == nullptr) continue;
    const std::string reason = text_of(*guard);
    base::warn("the Runtime ends and cancels what can't run: " + reason);
    poison(guard->version(),
           std::make_exception_ptr(base::Error(base::Errc::usage, "the Runtime ended: " + reason)));
    any = true;
  }
  return any;
}

}  // namespace rt::detail
