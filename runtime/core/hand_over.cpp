// From a node whose inputs allow it to the executor: poison, memory, in place or copy, buffers.
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "runtime/core/engine.h"
#include "runtime/core/gang.h"
#include "runtime/core/idler.h"
#include "runtime/core/ranks.h"
#include "runtime/core/thread.h"
#include "runtime/failure.h"
#include "runtime/place/simulation.h"

namespace rt::detail {

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
  ThisThread& here = this_thread;
  (here.ready_last != nullptr ? here.ready_last->next : here.ready_first) = node;
  here.ready_last = node;
  if (!here.handing_over) drain_ready();
}

void Engine::drain_ready() noexcept {
  ThisThread& here = this_thread;
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

/// Fills in where a parameter's content is and will be.
void place(Handles& handles, Node& node, const Parameter& p) {
  Input* input = p.input != Parameter::kNone ? &node.inputs[p.input] : nullptr;
  Output* output = p.output != Parameter::kNone ? &node.outputs[p.output] : nullptr;
  if (input != nullptr) input->box = input->version->box;
  switch (p.mode) {
    case Mode::in:
      if (p.ops->buffer) {
        input->access = add_access(node, handles.of(*input->box.get()), AccessMode::read);
      }
      break;
    case Mode::inout:
      input->claimed = !node.info->keeps_inputs() && input->version->claim();
      if (input->claimed) {
        output->box = input->box;
        if (p.ops->buffer) {
          output->access = input->access =
              add_access(node, handles.of(*input->box.get()), AccessMode::read_write);
        }
      } else if (p.ops->buffer) {
        output->box = BoxRef(Box::create_buffer(*p.ops, input->box->bytes));
        input->access = add_access(node, handles.of(*input->box.get()), AccessMode::read);
        output->access = add_access(node, handles.of(*output->box.get()), AccessMode::write);
      }
      break;
    case Mode::out:
      if (p.ops->buffer) {
        output->box = BoxRef(Box::create_buffer(*p.ops, input->box->bytes));
        output->access = add_access(node, handles.of(*output->box.get()), AccessMode::write);
      }
      break;
    case Mode::commutative:
      output->box = input->box;
      output->access = input->access =
          add_access(node, handles.of(*input->box.get()), AccessMode::commute);
      break;
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
  if (backend_->simulates() || node.device == Device::cuda) count_work(node);
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

namespace {

[[noreturn]] void refuse_footprint(const Node& node, std::uint64_t memory) {
  try {
    throw NoRoom();
  } catch (...) {
    std::throw_with_nested(
        base::Error(base::Errc::internal,
                    "task '" + node.info->name + "' needs " + base::format_bytes(node.footprint) +
                        " of its device's memory, one has " + base::format_bytes(memory)));
  }
}

/// Bytes of the buffers that a node names, by access.
using BufferBytes = std::array<std::uint64_t, 256>;

BufferBytes bytes_of_buffers(const Node& node) {
  BufferBytes bytes{};
  for (const Input& input : node.all_inputs())
    if (input.access != Input::kNoAccess) bytes[input.access] = input.box->bytes;
  for (const Output& output : node.all_outputs())
    if (output.access != Input::kNoAccess) bytes[output.access] = output.box->bytes;
  return bytes;
}

/// The access of that parameter's buffer, if nothing but this parameter is about it: what stays
/// must stay for no other.
std::uint8_t access_that_may_stay(const Node& node, unsigned parameter) {
  const auto& all = node.signature().parameters;
  if (parameter >= all.size() || all[parameter].mode != Mode::in) return Launch::kNone;
  const std::uint8_t access = node.inputs[all[parameter].input].access;
  if (access == Input::kNoAccess || node.accesses[access].mode != AccessMode::read)
    return Launch::kNone;
  const bool shared = std::ranges::count(node.all_inputs(), access, &Input::access) > 1;
  return shared ? Launch::kNone : access;
}

/// Leaves the buffer that may stay where it is, if the device then holds the rest.
void try_streaming(Node& node, const BufferBytes& bytes, const Streaming& streaming,
                   std::uint64_t memory) {
  const std::uint8_t staying = access_that_may_stay(node, streaming.parameter);
  if (staying == Launch::kNone) return;
  const std::uint64_t left = node.footprint - bytes[staying] + streaming.memory;
  if (left > memory) return;
  node.stays = staying;
  node.footprint = left;
  node.scratch += streaming.memory;
}

Work work_of(const Node& node) {
  if (node.info->work_of == nullptr) return {};
  std::vector<void*> slots(node.signature().parameters.size());
  unsigned i = 0;
  for (const Parameter& p : node.signature().parameters) {
    const Input* input = p.input != Parameter::kNone ? &node.inputs[p.input] : nullptr;
    if (input != nullptr && input->box) slots[i] = input->box->object;
    ++i;
  }
  return node.info->work_of(node, slots.data());
}

}  // namespace

/// What the node holds on its device, and on a simulated machine what it takes on each kind. Throws
/// an Error with NoRoom in it when no device of its kind holds it.
void Engine::count_work(Node& node) const {
  const Work work = work_of(node);
  const BufferBytes buffers = bytes_of_buffers(node);
  node.footprint = std::accumulate(buffers.begin(), buffers.end(), work.memory);
  node.scratch = work.memory;
  const std::uint64_t memory = backend_->device_memory(node.device);
  const bool too_large = memory != 0 && node.footprint > memory;
  if (too_large && work.streaming && node.device == Device::cuda)
    try_streaming(node, buffers, *work.streaming, memory);
  if (backend_->simulates() && node.info->work_of != nullptr) {
    const Platform& platform = config_.simulation->platform;
    node.simulated[0] = seconds_on(platform.cpu, work);
    if (platform.gpu.count > 0)
      node.simulated[1] = node.stays == Launch::kNone ? seconds_on(platform.gpu, work)
                                                      : seconds_streaming(platform.gpu, work);
  }
  if (memory != 0 && node.footprint > memory) refuse_footprint(node, memory);
}

void Engine::launch(Node& node) {
  Worker& here = workers_.here();
  here.launched.fetch_add(1);
  // On a worker's thread another launch has not returned yet, so the workers are awake.
  if (idler_ && this_thread.driver) idler_->activity();
  try {
    backend_->submit(node);
  } catch (...) {
    here.returned.fetch_add(1);
    throw;
  }
}

}  // namespace rt::detail
