// Who asks for what: flushes, look-ups by key, merging, and the start of nodes.
#include <algorithm>

#include "runtime/core/engine.h"
#include "runtime/core/keys.h"
#include "runtime/core/open.h"
#include "runtime/core/pace_book.h"
#include "runtime/core/ranks.h"
#include "runtime/core/shipping.h"

namespace rt::inline v0::detail {

namespace {

/// Whether a task may be handed over once the version was, rather than once it is complete.
bool follows_early(const Parameter& p, const Version& version) noexcept {
  return version.release == Release::handed &&
         (p.mode == Mode::in || p.mode == Mode::inout || p.mode == Mode::commutative);
}

void input_arrived(Waiter* self) noexcept {
  auto* const input = static_cast<Input*>(self);
  Node* node = input->node;
  // Whatever comes from elsewhere comes on the driver thread.
  Shipping* const shipping = Engine::current()->shipping();
  if (shipping != nullptr && !node->travels && is_away(*input->version) &&
      shipping->await_content(*input->version, *input))
    return;
  if (node->missing.fetch_sub(1, std::memory_order_acq_rel) == 1)
    Engine::current()->became_ready(node);
}

Held held(Version* version) noexcept {
  version->hold();
  return Held(version);
}

bool unstarted(const Version& version) noexcept {
  return version.at() == Stage::waiting && !version.borrows && version.producer != nullptr &&
         version.producer->phase.load(std::memory_order_relaxed) == Phase::pending;
}

/// Sets a node's priority, by the program's wish, then by how long it will take. Throws what the
/// program's functions throw.
void rank(Node& node, PaceBook* paces) {
  const TaskInfo& info = *node.info;
  int wish = info.priority_of != nullptr ? info.priority_of(node) : info.priority;
  wish = std::clamp(wish, -1000, 1000);
  if (info.cost_of == nullptr) {
    node.priority = wish * kRanks;
    return;
  }
  node.cost = std::max(info.cost_of(node), 0.0);
  if (paces != nullptr) paces->recall(info);
  node.seconds = info.pace_on(node.device).expect(node.cost, kFirstPace);
  node.priority = wish * kRanks + rank_of_seconds(node.seconds);
}

}  // namespace

void Engine::submit(Node* node) {
  const std::int64_t begin = (calls_ & 63) == 0 ? base::now().nanos : 0;
  node->number = calls_++;
  if (const GroupPtr& group = scope_.group()) {
    group->ref();
    node->group = group.get();
  }
  records_.call(*node);
  if (node->info->pure) {
    try {
      (void)key_node(*node, FileKeys::known, handles_);
    } catch (...) {
      node->unref();
      throw;
    }
    lazy_nodes_.add(*node);
    node->unref();  // from here on its held outputs keep it
  } else {
    pending_.push_back(node);
  }
  if (begin != 0) driver_nanos_ += 64 * (base::now().nanos - begin);
  if (pending_.size() >= config_.pending && !flushing_) {
    flush();
    throttle();
  }
}

void Engine::flush() {
  if (pending_.empty() || flushing_) return;
  flushing_ = true;
  const base::Moment begin = base::now();
  const auto run_here = [&] {
    return workers_.others().busy_nanos.load() + workers_.at(0).busy_nanos.load();
  };
  const std::int64_t run_before = run_here();
  for (std::size_t i = 0; i < pending_.size(); ++i) start_impure(pending_[i]);
  pending_.clear();
  flushing_ = false;
  driver_nanos_ += (base::now() - begin).count();
  if (executor_ == Executor::sequential) driver_nanos_ -= run_here() - run_before;
}

void Engine::start_impure(Node* node) {
  for (const Input& input : node->all_inputs()) {
    if (input.version->open != nullptr || unstarted(*input.version)) demand(input.version);
  }
  start(node);
}

void Engine::demand(Version* version) {
  // Held: what ends meanwhile may have been the last to need one of them.
  std::vector<Held> stack{held(version)};
  while (!stack.empty()) {
    Version* top = stack.back().get();
    if (top->open != nullptr) close(top);
    top->wanted = true;
    // A node that is not pure is handed over by the flush, before what was called after it.
    if (!unstarted(*top) || !top->producer->info->pure || step_pure(top->producer, top, stack)) {
      stack.pop_back();
    }
  }
  if (shipping_) shipping_->flush();
}

void Engine::demand_outputs(Node* node, bool asked) {
  for (const Output& output : node->all_outputs()) {
    // From its start on a worker may end it, and take its shares away, while this looks.
    if (node->phase.load(std::memory_order_relaxed) != Phase::pending) return;
    Version* made = output.version;
    if (made != nullptr && made->gather == Gather::no && !made->settled() &&
        (!asked || made->wanted) && made->holds.load() != 0)
      demand(made);
  }
}

/// Whether a pure node can be looked up. When its key cannot be made, because a file cannot be
/// read, that is its failure.
bool Engine::knows_key(Node* node) {
  try {
    return key_node(*node, FileKeys::changing, handles_);
  } catch (...) {
    begin(node);
    end_failed(*node);
    return false;
  }
}

/// One step towards a version of a pure node. True when nothing is left to do for it now.
bool Engine::step_pure(Node* node, Version* version, std::vector<Held>& stack) {
  const std::size_t depth = stack.size();
  if (!knows_key(node)) {
    if (version->settled()) return true;
    for (const Input& input : node->all_inputs()) {
      Version& read = *input.version;
      if (!read.settled() && unstarted(read) && read.producer->info->pure) {
        read.wanted = true;
        // One that waits for its own keys goes on by itself, and its end wakes this one.
        if (!read.producer->keys_awaited || knows_key(read.producer)) stack.push_back(held(&read));
      }
    }
    if (Failure* failure = node->first_failure()) {
      stack.resize(depth);
      begin(node);
      finish(*node, Stage::cancelled, failure);
    } else if (stack.size() == depth) {
      wait_for_keys(*node, mailbox_);
    }
    return stack.size() == depth;
  }
  if (!node->missed) {
    if (answers_.answer(*version)) {
      settle_unneeded(node);
      return true;
    }
    node->missed = true;
  }
  for (const Input& input : node->all_inputs()) {
    if (shipping_ && shipping_->takes(*node) && shipping_->made_elsewhere(*input.version)) continue;
    if (input.version->open != nullptr ||
        (unstarted(*input.version) && input.version->producer->info->pure))
      stack.push_back(held(input.version));
  }
  if (stack.size() != depth) return false;
  start(node);
  return true;
}

/// From here on the node is counted, and ends.
void Engine::begin(Node* node) {
  if (node->info->pure) {
    node->ref();
    lazy_nodes_.remove(*node);
    answers_.enlist(*node);
  }
  for (const Output& output : node->all_outputs()) {
    // Who has an answer, or waits for one, never sees the buffer while the task fills it.
    Version* made = output.version;
    if (made != nullptr && (made->borrows || made->settled())) made->release = Release::complete;
  }
  node->phase.store(Phase::scheduled, std::memory_order_relaxed);
  if (node->group != nullptr) node->group->begin_task();
  progress_.begin();
}

void Engine::start(Node* node) {
  begin(node);
  try {
    rank(*node, paces_.get());
  } catch (...) {  // what the program says of its cost or priority
    return end_failed(*node);
  }
  node->travels = shipping_ && shipping_->takes(*node);
  if (node->travels && shipping_->is_source(*node)) {
    shipping_->remember_source(*node);
    node->travels = false;
  }
  node->missing.store(1, std::memory_order_relaxed);
  // What a task takes is counted from its arguments before it is handed over: they must be there.
  const bool looked_at =
      backend_->simulates() || (node->device == Device::cuda && node->info->work_of != nullptr);
  for (const Parameter& p : node->signature().parameters) {
    if (p.input == Parameter::kNone) continue;
    // A task that takes several cores must be able to run as soon as it has them.
    const bool may_follow = node->needs.cpus == 1 && !looked_at;
    node->missing.fetch_add(1, std::memory_order_relaxed);
    if (!await_input(*node, p, may_follow)) node->missing.fetch_sub(1, std::memory_order_relaxed);
  }
  if (node->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) became_ready(node);
}

/// Lets the node wait for what it reads; false: it need not. `may_follow`: it may be handed over as
/// soon as who makes that was.
bool Engine::await_input(Node& node, const Parameter& p, bool may_follow) {
  Input& input = node.inputs[p.input];
  Version& version = *input.version;
  input.node = &node;
  input.fire = &input_arrived;
  if (node.travels) {
    // Who makes it must have been taken before, for the dispatcher to know of it.
    if (shipping_->made_elsewhere(version))
      return shipping_->waits(version) && version.on_handed.add(&input);
    return !version.settled() && version.on_complete.add(&input);
  }
  const bool travels = version.producer != nullptr && version.producer->travels;
  const bool early = may_follow && !travels && follows_early(p, version);
  if (version.at() >= (early ? Stage::handed : Stage::ready))
    return shipping_ && shipping_->await_content(version, input);
  return (early ? version.on_handed : version.on_complete).add(&input);
}

void Engine::close(Version* version) {
  if (version->open == nullptr) return;
  const std::unique_ptr<Open> open(std::exchange(version->open, nullptr));
  if (open->mode == Mode::commutative) {
    version->end_share({}, nullptr);
    return;
  }
  try {
    combine(version, *open);
  } catch (...) {
    poison(*version, std::current_exception());
  }
}

/// The partial results in pairs, and the last with what was there before: that makes the version.
void Engine::combine(Version* version, Open& open) {
  std::vector<Held> left = std::move(open.partials);
  while (left.size() > 1) {
    std::vector<Held> sums;
    for (std::size_t i = 0; i + 1 < left.size(); i += 2) {
      sums.push_back(
          open.fold->combine(std::exchange(left[i], Held()), left[i + 1], open.pure, nullptr));
    }
    if (left.size() % 2 == 1) sums.push_back(std::move(left.back()));
    left = std::move(sums);
  }
  (void)open.fold->combine(std::exchange(open.base, Held()), left.front(), open.pure, version);
}

void Engine::demand_held(const GroupState* inside) {
  for (Node* node : lazy_nodes_.in(inside)) {
    if (!shipping_ || !shipping_->is_source(*node)) demand_outputs(node, false);
    node->unref();
  }
}

/// The other outputs of an answered node stay open as long as somebody may ask for them; then it
/// gives its inputs back.
void Engine::settle_unneeded(Node* node) {
  if (node->phase.load(std::memory_order_relaxed) != Phase::pending) return;
  for (const Output& output : node->all_outputs()) {
    const Version& version = *output.version;
    if (version.gather == Gather::no && !version.settled() && version.holds.load() != 0) return;
  }
  lazy_nodes_.remove(*node);
  node->empty();
}

/// Calls behind a promise end only after the driver went on, so it does not wait for them; nor are
/// they counted, so that others stay as few as they should be.
void Engine::throttle() {
  if (progress_.in_flight() <= config_.in_flight + held_back_) return;
  held_back_ = count_held_back();
  if (progress_.in_flight() <= config_.in_flight + held_back_) return;
  const std::uint64_t most = config_.in_flight / 2 + held_back_;
  const auto crowded = [&] { return progress_.in_flight() > most; };
  progress_.wake_at(most);
  while (crowded() && !stands_still()) sleep_once(crowded, kLookAgain);
  progress_.wake_never();
}

}  // namespace rt::inline v0::detail
