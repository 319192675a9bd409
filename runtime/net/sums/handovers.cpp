#include "runtime/net/sums/handovers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace rt::net::sums {

namespace {

/// The end of a process is seen at once. So this is how long a stage may compute.
constexpr base::Duration kLongestWait = std::chrono::hours(24);

/// Sending stops after so many bytes to look at the next peer.
constexpr std::size_t kAtOnce = 256 << 10;

std::string text_of(const HandoverTag& tag) {
  return base::cat(tag.backward != 0 ? "the gradients of shard " : "shard ", tag.shard, ", step ",
                   tag.step, ", epoch ", tag.epoch);
}

}  // namespace

Handovers::Handovers(Links& links)
    : links_(links), outgoing_(static_cast<std::size_t>(links.members())) {}

void Handovers::send(int peer, const HandoverTag& tag,
                     std::span<const std::span<const std::byte>> parts) {
  Outgoing message{.header = {.tag = tag}, .parts = {parts.begin(), parts.end()}};
  for (const std::span<const std::byte> part : parts) message.header.bytes += part.size();
  outgoing_[static_cast<std::size_t>(peer)].push_back(std::move(message));
  advance();
}

void Handovers::advance() {
  for (std::size_t peer = 0; peer < outgoing_.size(); ++peer)
    send_some(static_cast<int>(peer), outgoing_[peer]);
}

void Handovers::send_some(int peer, std::deque<Outgoing>& queue) {
  while (!queue.empty()) {
    Outgoing& message = queue.front();
    while (message.part < message.parts.size() &&
           message.offset == message.parts[message.part].size()) {
      ++message.part;
      message.offset = 0;
    }
    const auto head = std::as_bytes(std::span(&message.header, 1)).subspan(message.head);
    std::span<const std::byte> body;
    if (message.part < message.parts.size())
      body = message.parts[message.part].subspan(message.offset);
    body = body.first(std::min(body.size(), kAtOnce));
    if (head.empty() && body.empty()) {
      // Links may hold bytes back that they have taken.
      if (!links_.flush(peer)) return;
      queue.pop_front();
      continue;
    }
    const std::size_t sent = links_.send(peer, head, body);
    const std::size_t of_head = std::min(sent, head.size());
    message.head += of_head;
    message.offset += sent - of_head;
    sent_ += sent;
    if (sent < head.size() + body.size()) return;
  }
}

void Handovers::wait(int from) {
  std::vector<int> to;
  for (std::size_t peer = 0; peer < outgoing_.size(); ++peer)
    if (!outgoing_[peer].empty()) to.push_back(static_cast<int>(peer));
  const base::Moment begun = base::now();
  links_.wait(std::span(&from, from < 0 ? 0 : 1), to, kLongestWait);
  waited_ += base::now() - begun;
}

std::size_t Handovers::read_some(int peer, std::span<std::byte> into) {
  const std::span<const std::byte> come = links_.incoming(peer);
  const std::size_t count = std::min(come.size(), into.size());
  if (count == 0) return 0;
  std::memcpy(into.data(), come.data(), count);
  links_.take(peer, count);
  return count;
}

void Handovers::read(int peer, std::span<std::byte> into) {
  while (!into.empty()) {
    const std::size_t count = read_some(peer, into);
    into = into.subspan(count);
    if (count > 0) continue;
    advance();
    wait(peer);
  }
}

void Handovers::receive(int peer, const HandoverTag& tag,
                        std::span<const std::span<std::byte>> parts) {
  Header due{.tag = tag}, header;
  for (const std::span<std::byte> part : parts) due.bytes += part.size();
  read(peer, std::as_writable_bytes(std::span(&header, 1)));
  if (header.tag != due.tag || header.bytes != due.bytes)
    throw LinkLost(
        peer, base::cat("it handed on ", text_of(header.tag), " with ", header.bytes,
                        " bytes, where ", text_of(due.tag), " with ", due.bytes, " bytes was due"));
  for (const std::span<std::byte> part : parts) read(peer, part);
}

void Handovers::finish(int peer) {
  const std::deque<Outgoing>& queue = outgoing_[static_cast<std::size_t>(peer)];
  while (true) {
    advance();
    if (queue.empty()) return;
    wait(-1);
  }
}

bool Handovers::idle() const noexcept {
  return std::ranges::all_of(outgoing_, [](const auto& queue) { return queue.empty(); });
}

}  // namespace rt::net::sums
