#include "runtime/net/relayed.h"

#include <algorithm>
#include <utility>

namespace rt::net {

void Relayed::add(base::Key key, Blob content) {
  std::erase_if(all_, [&](const Passing& one) { return one.key == key; });
  all_.push_back({key, std::move(content)});
  shrink();
}

Relayed::Blob Relayed::find(base::Key key) const {
  const auto at = std::ranges::find(all_, key, &Passing::key);
  return at != all_.end() ? at->content : nullptr;
}

void Relayed::gave(base::Key key, std::uint32_t agent, bool more) {
  const auto at = std::ranges::find(all_, key, &Passing::key);
  if (at == all_.end()) return;
  if (more) {
    at->readers.insert(agent);
  } else {
    at->readers.erase(agent);
  }
}

void Relayed::left(std::uint32_t agent) {
  for (Passing& one : all_) one.readers.erase(agent);
}

/// The newest one stays in any case: who asked for it has not been given anything yet.
void Relayed::shrink() {
  std::uint64_t bytes = 0, unread = 0;
  for (const Passing& one : all_) {
    bytes += one.content->size();
    if (one.readers.empty()) unread += one.content->size();
  }
  for (auto at = all_.begin(); all_.size() > 1 && at != std::prev(all_.end());) {
    const std::uint64_t size = at->content->size();
    const bool idle = at->readers.empty();
    if (bytes <= most_ && (!idle || unread <= idle_)) {
      ++at;
      continue;
    }
    bytes -= size;
    if (idle) unread -= size;
    at = all_.erase(at);
  }
}

}  // namespace rt::net
