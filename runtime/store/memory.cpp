#include "runtime/store/memory.h"

#include "runtime/store/entry.h"

namespace rt::store {
namespace {

/// What an entry takes: its bytes and, roughly, its places in the two tables.
std::uint64_t weight(const base::Bytes& bytes) { return bytes.size() + 256; }

}  // namespace

std::shared_ptr<const base::Bytes> MemoryLayer::find(base::Key key) {
  const std::scoped_lock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  ranks_.erase(it->second.rank);
  it->second.rank.used = clock_++;
  ranks_.insert(it->second.rank);
  return it->second.bytes;
}

std::uint64_t MemoryLayer::evict() {
  std::uint64_t evicted = 0;
  for (auto rank = ranks_.begin(); used_ > budget_ / 8 * 7 && rank != ranks_.end();) {
    if (pins_ != nullptr && pins_->held(rank->key)) {
      ++rank;
      continue;
    }
    const auto victim = entries_.find(rank->key);
    used_ -= weight(*victim->second.bytes);
    entries_.erase(victim);
    rank = ranks_.erase(rank);
    ++evicted;
  }
  return evicted;
}

std::uint64_t MemoryLayer::put(base::Key key, std::shared_ptr<const base::Bytes> bytes,
                               double cost) {
  const std::uint64_t size = weight(*bytes);
  if (size > budget_ / 4) return 0;
  const std::scoped_lock lock(mutex_);
  const Rank rank{worth_of(cost, size), clock_++, key};
  if (!entries_.try_emplace(key, Entry{std::move(bytes), rank}).second) return 0;
  ranks_.insert(rank);
  used_ += size;
  return used_ > budget_ ? evict() : 0;
}

void MemoryLayer::erase(base::Key key) {
  const std::scoped_lock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  used_ -= weight(*it->second.bytes);
  ranks_.erase(it->second.rank);
  entries_.erase(it);
}

std::uint64_t MemoryLayer::used() const {
  const std::scoped_lock lock(mutex_);
  return used_;
}

}  // namespace rt::store
