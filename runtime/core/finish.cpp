// The end of a node: results are stored and settled, who waited goes on, counts are kept.
#include "runtime/core/engine.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

namespace {

/// Small results always; others when reading them back at 500 MB/s is quicker than computing them.
bool worth_by_default(double seconds, std::size_t bytes) {
  constexpr std::size_t kSmall = 64 << 10;
  constexpr double kBytesPerSecond = 500e6;
  return bytes <= kSmall || seconds > static_cast<double>(bytes) / kBytesPerSecond;
}

/// Brings bytes of the worker's device here. A device that fails now has done its work: then what
/// it made is not kept, and whoever needs it next finds out.
bool copy_of(Backend& backend, const std::byte* from, std::size_t size,
             base::Bytes& copy) noexcept {
  try {
    copy.resize(size);
    backend.copy(copy.data(), from, size);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

using Encoded = std::vector<std::pair<base::Key, base::Bytes>>;

/// Appends the results that the store is to have, encoded. `bytes_here` as for Engine::finish.
void keep_results(const Node& node, const Config& config, Backend& backend,
                  std::byte* const* bytes_here, Encoded& kept) {
  if (!config.store || !node.keyed || node.info->keep == Keep::never) return;
  const double took = base::seconds(node.ran);
  const auto worth = config.worth_keeping != nullptr ? config.worth_keeping : worth_by_default;
  for (const Output& output : node.all_outputs()) {
    const Version* version = output.version;
    if (version->gather != Gather::no) continue;
    base::Bytes bytes;
    if (output.box) {
      const Box& box = *output.box.get();
      if (box.away != nullptr) continue;  // who has it keeps it
      const std::size_t size = box.ops->buffer ? box.bytes : 0;
      if (node.info->keep == Keep::worth && !worth(took, size)) continue;
      base::Bytes copy;
      const std::byte* content = box.host_bytes();
      if (node.device != Device::cpu && box.bytes > 0 && output.access != Input::kNoAccess) {
        if (backend.simulates()) continue;  // there is nothing at that address
        if (bytes_here == nullptr || !copy_of(backend, bytes_here[output.access], box.bytes, copy))
          continue;
        content = copy.data();
      }
      box.ops->encode(box.object, content, bytes);
      if (node.info->keep == Keep::worth && !box.ops->buffer && !worth(took, bytes.size()))
        continue;
    }
    kept.emplace_back(version->key, std::move(bytes));
  }
}

/// Lets later calls of the task be ranked by what this one took.
void learn(const Node& node) noexcept {
  if (node.info->cost_of == nullptr || node.cost <= 0) return;
  node.info->pace_on(node.device).learn(node.cost, base::seconds(node.ran));
}

}  // namespace

void Engine::finish(Node& node, Stage stage, Failure* failure, std::byte* const* bytes) noexcept {
  ThisThread& here = this_thread();
  const bool outermost = !std::exchange(here.handing_over, true);
  Worker& worker = workers_.here();
  Encoded kept;  // encoded now: once settled, a successor may change a result in place
  if (stage == Stage::ready) {
    if (node.info->pure) keep_results(node, config_, *backend_, bytes, kept);
    learn(node);
  } else if (stage == Stage::cancelled) {
    bump(worker.cancelled, std::uint64_t{1});
  }
  if (stage != Stage::ready) records_.no_result(node, stage);
  for (Output& output : node.all_outputs()) {
    Version* version = output.version;
    if (version->gather == Gather::no) {
      version->settle(std::move(output.box), stage, failure);
    } else {
      version->end_share(output.box, failure, stage);
      output.version = nullptr;
      output.box = BoxRef();
      version->unref();
    }
  }
  node.phase.store(Phase::ended, std::memory_order_release);
  if (node.admitted)
    for (Node* next : admission_.give_back(node)) became_ready(next);
  node.empty();
  if (outermost) drain_ready();
  if (node.group != nullptr && node.group->end_task()) mailbox_.nudge();
  for (auto& [key, result] : kept)
    config_.store->insert(key, std::move(result), base::seconds(node.ran));
  node.unref();
  if (progress_.end(worker)) mailbox_.nudge();
}

Failure* Engine::cancelled_failure(const Node& node) const {
  const GroupState& group = group_of(node);
  const std::string path = group.path();
  auto* failure = new Failure;
  failure->cancelled = true;
  failure->error =
      std::make_exception_ptr(Cancelled("task '" + node.info->name + "' was cancelled" +
                                        (path.empty() ? "" : " with group '" + path + "'")));
  return failure;
}

}  // namespace rt::inline v0::detail
