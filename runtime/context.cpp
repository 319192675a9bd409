#include "runtime/context.h"

#include "base/error.h"
#include "base/log.h"
#include "runtime/core/engine.h"
#include "runtime/core/running.h"

namespace rt::inline v0 {

bool Context::stop_requested() const noexcept {
  const bool asked =
      running_.engine.group_of(running_.node).cancelled.load(std::memory_order_acquire);
  running_.stop_seen = running_.stop_seen || asked;
  return asked;
}

std::stop_token Context::stop_token() const noexcept {
  running_.stop_seen = true;
  return running_.engine.group_of(running_.node).stop.get_token();
}

WorkerId Context::worker() const noexcept { return running_.worker.id; }

int Context::attempt() const noexcept { return running_.attempt; }

int Context::cpus() const noexcept { return running_.node.needs.cpus; }

void* Context::stream() const noexcept { return running_.engine.backend().stream(); }

std::span<std::byte> Context::scratch() const noexcept {
  const detail::Node& node = running_.node;
  if (node.scratch_at == nullptr || running_.engine.backend().simulates()) return {};
  return {node.scratch_at, node.scratch};
}

bool Context::streams() const noexcept { return running_.node.stays != detail::Launch::kNone; }

void Context::tell(std::string text) const {
  constexpr std::size_t kMost = 256 << 10;
  if (text.size() > kMost)
    throw base::Error(base::Errc::usage, "Context::tell: at most 256 KiB at a time");
  detail::Listeners::send(running_.node, std::move(text));
}

void Context::log(std::string_view line) const {
  const std::string group = running_.engine.group_of(running_.node).path();
  base::note((group.empty() ? "" : group + ": ") + running_.node.info->name + ": " +
             std::string(line));
}

detail::Worker& Context::own() const noexcept { return running_.worker; }

void Context::run_parts(int parts, void (*body)(void*, int, detail::Worker&), void* object) {
  running_.split(parts, body, object);
}

void* detail::find_local(Worker& worker, std::type_index type, std::shared_ptr<void> (*make)()) {
  std::shared_ptr<void>& local = worker.locals[type];
  if (!local) local = make();
  return local.get();
}

}  // namespace rt::inline v0
