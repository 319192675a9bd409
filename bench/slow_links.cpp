#include "bench/slow_links.h"

#include <algorithm>

namespace bench {

void SlowWire::sent(std::size_t bytes) {
  const auto duration = [](double seconds) {
    return base::Duration(static_cast<std::int64_t>(seconds * 1e9));
  };
  const std::lock_guard lock(mutex_);
  free_ = std::max(free_, base::now());
  under_way_.push_back({bytes, free_ + duration(latency_)});
  free_ = free_ + duration(static_cast<double>(bytes) / bandwidth_);
}

std::size_t SlowWire::come() {
  const std::lock_guard lock(mutex_);
  const base::Moment now = base::now();
  while (!under_way_.empty()) {
    const Message& first = under_way_.front();
    const double passed = std::max(0.0, base::seconds(now - first.begun));
    const auto bytes = static_cast<std::size_t>(passed * bandwidth_);
    if (bytes < first.bytes) return come_ + bytes;
    come_ += first.bytes;
    under_way_.pop_front();
  }
  return come_;
}

SlowWires slow_wires(int members, double bandwidth, double latency) {
  SlowWires wires(static_cast<std::size_t>(members));
  for (auto& from : wires)
    for (int to = 0; to < members; ++to)
      from.push_back(std::make_unique<SlowWire>(bandwidth, latency));
  return wires;
}

std::size_t SlowLinks::send(int peer, std::span<const std::byte> head,
                            std::span<const std::byte> body) {
  const std::size_t sent = links_.send(peer, head, body);
  if (sent > 0) wires_[static_cast<std::size_t>(own())][static_cast<std::size_t>(peer)]->sent(sent);
  return sent;
}

std::span<const std::byte> SlowLinks::incoming(int peer) {
  const auto at = static_cast<std::size_t>(peer);
  const std::span<const std::byte> there = links_.incoming(peer);
  // The bytes may be there before the wire knows of them.
  const std::size_t come =
      std::max(taken_[at], wires_[at][static_cast<std::size_t>(own())]->come());
  return there.first(std::min(there.size(), (come - taken_[at]) / 4 * 4));
}

void SlowLinks::take(int peer, std::size_t bytes) {
  links_.take(peer, bytes);
  taken_[static_cast<std::size_t>(peer)] += bytes;
}

void SlowLinks::wait(std::span<const int> from, std::span<const int> to, base::Duration most) {
  constexpr base::Duration kLook = std::chrono::microseconds(50);
  for (const int peer : from)
    if (!links_.incoming(peer).empty()) return base::sleep_for(kLook);
  links_.wait(from, to, std::min(most, kLook));
}

}  // namespace bench
