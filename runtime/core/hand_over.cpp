// From a node whose inputs allow it to the executor: poison, memory, in place or copy, buffers.
#include <exception>

#include "runtime/core/engine.h"
#include "runtime/core/footprint.h"
#include "runtime/core/gang.h"
#include "runtime/core/idler.h"
#include "runtime/core/ranks.h"
#include "runtime/core/shipping.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

namespace {

/// The place of a buffer among the launch's accesses. A buffer read twice is listed once.
std::uint8_t add_access(Node& node, void* handle, AccessMode mode) {
  for (std::uint8_t i = 0; i < node.access_count; ++i) {
    if (node.accesses[i].handle == handle) return i;
  }
  node.accesses[node.access_count] = {handle, mode};
  return node.access_count++;
}

}  // namespace

void Engine::became_ready(Node* node) noexcept {
  node->next = nullptr;
  ThisThread& here = this_thread();
  (here.ready_last != nullptr ? here.ready_last->next : here.ready_first) = node;
  here.ready_last = node;
  if (!here.handing_over) drain_ready();
}

void Engine::drain_ready() noexcept {
  ThisThread& here = this_thread();
  here.handing_over = true;
  while (here.ready_first != nullptr) {
    Node* node = here.ready_first;
    here.ready_first = node->next;
    if (here.ready_first == nullptr) here.ready_last = nullptr;
    hand_over(node);
  }
  here.handing_over = false;
}

void Engine::hand_over(Node* node) noexcept {
  if (node->travels)
    return this_thread().driver ? shipping_->take(*node) : shipping_->take_later(*node);
  if (Failure* failure = node->first_failure()) return finish(*node, Stage::cancelled, failure);
  if (group_of(*node).cancelled.load(std::memory_order_acquire)) {
    Failure* failure = cancelled_failure(*node);
    finish(*node, Stage::cancelled, failure);
    return failure->unref();
  }
  if (node->limited && !node->admitted && !admission_.admit(*node)) return;
  try {
    submit_launch(*node);
  } catch (...) {
    // Out of memory for a copy, or the executor refused: the task fails like one whose body threw.
    end_failed(*node);
  }
}

void Engine::end_failed(Node& node) noexcept {
  auto* failure = new Failure;
  failure->error = std::current_exception();
  finish(node, Stage::failed, failure);
  failure->unref();
}

namespace {

/// Adds an access to the bytes of a box, or to the turn on its object; returns its place.
std::uint8_t add_access_to(Handles& handles, Node& node, const BoxRef& box, AccessMode mode) {
  return add_access(node, handles.of(*box.get()), mode);
}

void place_inout(Handles& handles, Node& node, const Parameter& p) {
  Input& input = node.inputs[p.input];
  Output& output = node.outputs[p.output];
  input.claimed = !node.info->keeps_inputs() && input.version->claim();
  if (input.claimed) {
    output.box = input.box;
    if (p.ops->buffer)
      output.access = input.access =
          add_access_to(handles, node, input.box, AccessMode::read_write);
  } else if (p.ops->buffer) {
    output.box = BoxRef(Box::create_buffer(*p.ops, input.box->bytes));
    input.access = add_access_to(handles, node, input.box, AccessMode::read);
    output.access = add_access_to(handles, node, output.box, AccessMode::write);
  }
}

void place_out(Handles& handles, Node& node, const Parameter& p) {
  if (!p.ops->buffer) return;
  Output& output = node.outputs[p.output];
  output.box = BoxRef(Box::create_buffer(*p.ops, node.inputs[p.input].box->bytes));
  output.access = add_access_to(handles, node, output.box, AccessMode::write);
}

void place_commutative(Handles& handles, Node& node, const Parameter& p) {
  Input& input = node.inputs[p.input];
  Output& output = node.outputs[p.output];
  output.box = input.box;
  output.access = input.access = add_access_to(handles, node, input.box, AccessMode::commute);
}

/// Fills in where a parameter's content is and will be.
void place(Handles& handles, Node& node, const Parameter& p) {
  if (p.input != Parameter::kNone) node.inputs[p.input].box = node.inputs[p.input].version->box;
  switch (p.mode) {
    case Mode::in:
      if (p.ops->buffer) {
        Input& input = node.inputs[p.input];
        input.access = add_access_to(handles, node, input.box, AccessMode::read);
      }
      break;
    case Mode::inout:
      return place_inout(handles, node, p);
    case Mode::out:
      return place_out(handles, node, p);
    case Mode::commutative:
      return place_commutative(handles, node, p);
    default:
      break;
  }
}

}  // namespace

void Engine::submit_launch(Node& node) {
  const Signature& signature = node.signature();
  bool early = false;
  for (const Parameter& p : signature.parameters) {
    if (p.mode != Mode::constant) place(handles_, node, p);
    if (p.output != Parameter::kNone &&
        node.outputs[p.output].version->release == Release::handed) {
      node.outputs[p.output].version->box = node.outputs[p.output].box;
      early = true;
    }
  }
  node.name = node.info->name.c_str();
  if (backend_->simulates() || node.device == Device::cuda) count_work(node, *backend_, config_);
  node.phase.store(Phase::handed, std::memory_order_relaxed);
  if (node.needs.cpus > 1) {
    node.gang = new Gang(node.needs.cpus);
    node.priority = kGangPriority;
    Gang* const gang = node.gang;
    launch(node);
    return gang->call(*backend_);
  }
  if (!early) return launch(node);
  node.ref();  // a worker may end it before its successors were told
  launch(node);
  for (const Output& output : node.all_outputs()) {
    Version* version = output.version;
    if (version == nullptr || version->release != Release::handed) continue;
    Stage before = Stage::waiting;
    version->stage.compare_exchange_strong(before, Stage::handed, std::memory_order_acq_rel);
    version->on_handed.close();
  }
  node.unref();
}

void Engine::launch(Node& node) {
  Worker& here = workers_.here();
  here.launched.fetch_add(1);
  // On a worker's thread another launch has not returned yet, so the workers are awake.
  if (idler_ && this_thread().driver) idler_->activity();
  try {
    backend_->submit(node);
  } catch (...) {
    here.returned.fetch_add(1);
    throw;
  }
}

}  // namespace rt::inline v0::detail
