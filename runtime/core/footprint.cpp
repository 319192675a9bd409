#include "runtime/core/footprint.h"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "runtime/failure.h"
#include "runtime/place/simulation.h"

namespace rt::inline v0::detail {

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

void count_work(Node& node, const Backend& backend, const Config& config) {
  const Work work = work_of(node);
  const BufferBytes buffers = bytes_of_buffers(node);
  node.footprint = std::accumulate(buffers.begin(), buffers.end(), work.memory);
  node.scratch = work.memory;
  const std::uint64_t memory = backend.device_memory(node.device);
  const bool too_large = memory != 0 && node.footprint > memory;
  if (too_large && work.streaming && node.device == Device::cuda)
    try_streaming(node, buffers, *work.streaming, memory);
  if (backend.simulates() && node.info->work_of != nullptr) {
    const Platform& platform = config.simulation->platform;
    node.simulated[0] = seconds_on(platform.cpu, work);
    if (platform.gpu.count > 0)
      node.simulated[1] = node.stays == Launch::kNone ? seconds_on(platform.gpu, work)
                                                      : seconds_streaming(platform.gpu, work);
  }
  if (memory != 0 && node.footprint > memory) refuse_footprint(node, memory);
}

}  // namespace rt::inline v0::detail
