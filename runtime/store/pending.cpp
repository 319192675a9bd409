#include "runtime/store/pending.h"

#include <algorithm>
#include <utility>

#include "runtime/store/share.h"

namespace rt::store {
namespace {

/// What an entry takes, its file's own block on a disk included.
std::uint64_t pending_weight(const base::Bytes& bytes) { return bytes.size() + 4096; }

}  // namespace

std::shared_ptr<const base::Bytes> Pending::find(base::Key key) const {
  const std::scoped_lock lock(mutex_);
  const auto at = entries_.find(key);
  return at == entries_.end() ? nullptr : at->second.item.bytes;
}

bool Pending::empty() const {
  const std::scoped_lock lock(mutex_);
  return entries_.empty();
}

std::vector<Pending::Item> Pending::put(Item item) {
  const std::uint64_t size = pending_weight(*item.bytes);
  const std::scoped_lock lock(mutex_);
  const base::Key key = item.key;
  const Rank rank{item.cost / bytes_to_write(item.bytes->size()), next_age_++, key};
  if (!entries_.try_emplace(key, Entry{std::move(item), rank}).second) return {};
  ranks_.insert(rank);
  if (pins_.held(key)) held_.insert(rank);
  used_ += size;
  std::vector<Item> over;
  std::uint64_t left = used_;
  for (auto cheapest = ranks_.begin(); left > limit_ && cheapest != ranks_.end(); ++cheapest) {
    if (cheapest->key == key) continue;
    over.push_back(entries_.at(cheapest->key).item);
    left -= pending_weight(*over.back().bytes);
  }
  return over;
}

std::optional<Pending::Item> Pending::next() const {
  const std::scoped_lock lock(mutex_);
  const std::set<Rank>& from = held_.empty() ? ranks_ : held_;
  if (from.empty()) return std::nullopt;
  return entries_.at(from.rbegin()->key).item;
}

void Pending::look_again(const std::vector<base::Key>& keys) {
  const std::scoped_lock lock(mutex_);
  for (const base::Key key : keys) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) continue;
    if (pins_.held(key))
      held_.insert(at->second.rank);
    else
      held_.erase(at->second.rank);
  }
}

std::optional<Pending::Item> Pending::newest() const {
  const std::scoped_lock lock(mutex_);
  const auto last = std::ranges::max_element(ranks_, {}, &Rank::age);
  if (last == ranks_.end()) return std::nullopt;
  return entries_.at(last->key).item;
}

std::vector<Pending::Item> Pending::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Item> items;
  for (const auto& [key, entry] : entries_) items.push_back(entry.item);
  return items;
}

void Pending::done(base::Key key) {
  const std::scoped_lock lock(mutex_);
  remove(key);
}

void Pending::remove(base::Key key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  used_ -= pending_weight(*at->second.item.bytes);
  ranks_.erase(at->second.rank);
  held_.erase(at->second.rank);
  entries_.erase(at);
}

}  // namespace rt::store
