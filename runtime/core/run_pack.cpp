// A node that runs others along, and those (Task::packs).
#include <utility>

#include "runtime/core/running.h"

namespace rt::inline v0::detail {

namespace {

/// Of a node whose buffers are where the program left them.
void host_bytes(const Node& node, std::byte** bytes) noexcept {
  for (const Input& input : node.all_inputs())
    if (input.access != Input::kNoAccess) bytes[input.access] = input.box->host_bytes();
  for (const Output& output : node.all_outputs())
    if (output.access != Input::kNoAccess) bytes[output.access] = output.box->host_bytes();
}

base::Moment part_of(base::Moment from, base::Moment to, std::size_t part,
                     std::size_t parts) noexcept {
  return from + (to - from) * static_cast<std::int64_t>(part) / static_cast<std::int64_t>(parts);
}

}  // namespace

/// Runs the body of the node for it and those that it takes along, if there are any. Throws what
/// came of the node itself.
void Running::run_pack(PackMember& own, Body alone, Context& context) {
  std::vector<PackMember*> taken = engine.packs().take(own, engine.backend().cpu_workers());
  if (taken.size() == 1 && !own.progress.has_value())
    return alone(node, context, slots_.data(), result_);
  const base::Moment from = base::now();
  PackCalls calls(engine.packs(), std::move(taken));
  std::exception_ptr error;
  try {
    node.info->pack(calls, context);
  } catch (...) {
    error = std::current_exception();
  }
  own.progress.reset();
  others_ = calls.settle(std::move(error));
  share_out(from, base::now(), others_.size());
  others_.erase(others_.begin());
  take_outcome(own);
}

/// The time of a pack is divided evenly among those that it ended; this node's part is the first.
void Running::share_out(base::Moment from, base::Moment to, std::size_t parts) noexcept {
  pack_ = parts;
  part_from_ = from;
  part_to_ = part_of(from, to, 1, parts);
  pack_to_ = to;
}

void Running::take_outcome(PackMember& own) {
  own.ended = false;
  stop_seen = stop_seen || own.stop_seen;
  if (own.error != nullptr) std::rethrow_exception(std::exchange(own.error, nullptr));
  result_ = std::move(own.result);
}

void Running::end_others() noexcept {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    PackMember& other = *others_[i];
    std::byte* bytes[256];
    host_bytes(other.node, bytes);
    Running ended(engine, other.node, worker, bytes);
    ended.pack_ = pack_;
    ended.part_from_ = part_of(part_from_, pack_to_, i + 1, pack_);
    ended.part_to_ = part_of(part_from_, pack_to_, i + 2, pack_);
    bump(worker.packed, std::uint64_t{1});  // first: who waits for its end may ask
    ended.run();
    engine.packs().end(other);
  }
}

}  // namespace rt::inline v0::detail
