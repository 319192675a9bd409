// What an executor says about its launches, and the way of one through a worker.
#include "runtime/core/launch.h"

#include "runtime/core/gang.h"
#include "runtime/core/running.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

namespace {

/// Not a worker that helps or stands aside.
bool is_task(const Launch& launch) noexcept { return !launch.helps && !launch.stands_aside; }

void stand_aside(Gang& gang, unsigned worker) noexcept {
  IdleAccounting& accounting = Engine::current()->accounting();
  accounting.stands_aside(worker, base::now());
  gang.attend();
  accounting.is_back(worker, base::now());
}

/// A call that may run in a pack, and may have run in one by now.
void run_member(Engine& engine, Node& node, Worker& own, std::byte* const* bytes) noexcept {
  if (engine.packs().begin(*node.member)) {
    Running(engine, node, own, bytes).run();
    engine.packs().end(*node.member);
  }
  node.unref();
}

}  // namespace

void launch_ready(Launch& launch) noexcept {
  if (!is_task(launch)) return;
  Engine& engine = *Engine::current();
  launch.ready = base::now();
  engine.accounting().ready(launch.device, launch.ready);
  auto& node = static_cast<Node&>(launch);
  if (node.info->pack != nullptr && engine.packs_calls()) engine.packs().wait(node);
}

void launch_taken(Launch& launch, unsigned worker) noexcept {
  if (!is_task(launch)) return;
  launch.taken = base::now();
  Engine::current()->accounting().taken(worker, launch.device, launch.taken);
}

void run_launch(Launch& launch, unsigned worker, std::byte* const* bytes) noexcept {
  if (launch.stands_aside) return stand_aside(*launch.gang, worker);
  if (launch.helps) return help(launch, worker);
  Engine& engine = *Engine::current();
  auto& node = static_cast<Node&>(launch);
  Gang* const gang = launch.gang;
  if (gang != nullptr) gang->assemble();
  Worker& own = engine.workers().at(worker);
  Worker* const before = std::exchange(this_thread().worker, &own);
  if (node.member == nullptr) {
    Running(engine, node, own, bytes).run();
  } else {
    run_member(engine, node, own, bytes);
  }
  if (gang != nullptr) gang->dismiss();
  own.returned.fetch_add(1);
  this_thread().worker = before;
}

}  // namespace rt::inline v0::detail
