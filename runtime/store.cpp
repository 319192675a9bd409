#include "runtime/store.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "runtime/store/disk.h"
#include "runtime/store/memory.h"
#include "runtime/store/pending.h"
#include "runtime/store/pins.h"
#include "runtime/store/share.h"

namespace rt::inline v0 {
namespace {

/// So often an entry is written that is not worth it: unfinished work, of which nobody has said
/// what it needs, loses not much more of itself when the process is killed.
constexpr base::Duration kCheapEvery = std::chrono::seconds(1);

StoreConfig absolute(StoreConfig config) {
  std::error_code ignored;
  // Made absolute once: a later change of the working folder must not move the store.
  if (!config.folder.empty()) config.folder = std::filesystem::absolute(config.folder, ignored);
  return config;
}

}  // namespace

struct Store::Layers {
  explicit Layers(StoreConfig c)
      : config(absolute(std::move(c))),
        pins(config.folder),
        memory(config.memory_bytes, config.folder.empty() ? &pins : nullptr),
        pending(config.memory_bytes, pins),
        share(config.overhead.value_or(0)) {
    if (!config.folder.empty()) disk.emplace(config.folder, config.disk_bytes, pins);
  }

  /// False when the disk did not take it: an entry that waits goes on waiting.
  bool write(const store::Pending::Item& item) {
    const base::Moment begin = base::now();
    const bool there = disk->put(item.key, *item.bytes, item.cost);
    share.took(base::seconds(base::now() - begin), item.bytes->size());
    if (there) pending.done(item.key);
    if (!worth(item)) cheap_after = (base::now() + kCheapEvery).nanos;
    return there;
  }

  [[nodiscard]] bool worth(const store::Pending::Item& item) const {
    return share.worth(item.cost, item.bytes->size()) || pins.held(item.key);
  }

  /// What to write next, if anything that waits is worth it or its time has come.
  [[nodiscard]] std::optional<store::Pending::Item> next() const {
    auto item = pending.next();
    if (!item || worth(*item)) return item;
    return base::now().nanos >= cheap_after.load() ? pending.newest() : std::nullopt;
  }

  /// Lets an entry wait in the place of those that do not fit any more.
  void wait(store::Pending::Item item) {
    for (const auto& over : pending.put(std::move(item))) {
      const bool wanted = config.spill || worth(over) || share.allows(over.bytes->size());
      if (!wanted)
        drop(over);
      else if (!write(over))
        pending.done(over.key);
    }
  }

  void drop(const store::Pending::Item& item) {
    pending.done(item.key);
    ++evicted;
  }

  StoreConfig config;
  store::Pins pins;
  store::MemoryLayer memory;
  store::Pending pending;
  store::Share share;
  std::optional<store::DiskLayer> disk;
  std::atomic<bool> persisting{false};
  std::atomic<std::int64_t> cheap_after{(base::now() + kCheapEvery).nanos};
  std::atomic<std::uint64_t> memory_hits{0}, disk_hits{0}, misses{0}, inserts{0}, evicted{0};
};

Store::Store(StoreConfig config) : layers_(std::make_unique<Layers>(std::move(config))) {}
Store::~Store() { flush(); }

Store::Blob Store::lookup(base::Key key) {
  Blob found = layers_->memory.find(key);
  if (!found) found = layers_->pending.find(key);
  if (found) {
    ++layers_->memory_hits;
    return found;
  }
  if (layers_->disk && key) {
    if (auto [bytes, cost] = layers_->disk->find(key); bytes) {
      ++layers_->disk_hits;
      if (bytes->size() > store::kMostPacked)
        layers_->evicted += layers_->memory.put(key, bytes, cost);
      return bytes;
    }
  }
  ++layers_->misses;
  return nullptr;
}

bool Store::contains(base::Key key) {
  return layers_->memory.find(key) != nullptr || layers_->pending.find(key) != nullptr ||
         (layers_->disk && key && layers_->disk->contains(key));
}

void Store::insert(base::Key key, base::Bytes bytes, double cost) noexcept {
  try {
    insert(key, std::make_shared<const base::Bytes>(std::move(bytes)), cost);
  } catch (const std::exception&) {
    return;  // out of memory: a cache may forget
  }
}

void Store::insert(base::Key key, Blob bytes, double cost) noexcept {
  if (!key || !bytes) return;
  if (!(cost >= 0)) cost = 0;
  try {
    ++layers_->inserts;
    const bool small = bytes->size() <= store::kMostPacked;
    if (small && layers_->disk && layers_->disk->put(key, *bytes, cost)) return;
    layers_->evicted += layers_->memory.put(key, bytes, cost);
    if (small || !layers_->disk) return;
    if (!layers_->config.overhead) return void(layers_->write({key, bytes, cost}));
    layers_->wait({key, bytes, cost});
  } catch (const std::exception&) {
    return;  // out of memory: a cache may forget
  }
}

void Store::protect(std::string_view owner, std::vector<base::Key> keys) {
  const auto [added, removed] = layers_->pins.set(owner, std::move(keys));
  layers_->pending.look_again(added);
  layers_->pending.look_again(removed);
  if (!layers_->config.overhead) return layers_->pins.write();
  if (!layers_->disk) return;
  // What was given up before anybody named it may still be in memory.
  for (const base::Key key : added) {
    Blob bytes = layers_->pending.find(key) ? nullptr : layers_->memory.find(key);
    if (bytes && !layers_->disk->contains(key)) layers_->wait({key, std::move(bytes), 0});
  }
}

bool Store::due() const {
  if (!layers_->disk || layers_->disk->rests() || layers_->pending.empty()) return false;
  if (!layers_->share.allows_round()) return false;
  const auto item = layers_->next();
  return item && layers_->share.allows(item->bytes->size());
}

void Store::persist() noexcept {
  if (!layers_->disk || layers_->persisting.exchange(true)) return;
  try {
    layers_->pins.write();
    while (const auto item = layers_->next()) {
      if (!layers_->share.allows(item->bytes->size()) || !layers_->write(*item)) break;
    }
  } catch (const std::exception&) {
    layers_->persisting = false;  // out of memory: they wait for the next time
    return;
  }
  layers_->persisting = false;
}

void Store::flush() noexcept {
  if (!layers_->disk) return;
  try {
    layers_->pins.write();
    layers_->disk->try_again();
    while (const auto item = layers_->pending.next()) {
      if (!layers_->write(*item)) layers_->pending.done(item->key);
    }
  } catch (const std::exception&) {
    return;  // out of memory: a cache may forget
  }
}

void Store::drop_cheap() noexcept {
  try {
    for (const auto& item : layers_->pending.all()) {
      if (!layers_->worth(item)) layers_->drop(item);
    }
  } catch (const std::exception&) {
    return;  // out of memory: then they are written
  }
}

void Store::erase(base::Key key) {
  layers_->memory.erase(key);
  layers_->pending.done(key);
  if (layers_->disk && key) layers_->disk->erase(key);
}

StoreStats Store::stats() const {
  StoreStats s{.memory_hits = layers_->memory_hits,
               .disk_hits = layers_->disk_hits,
               .misses = layers_->misses,
               .inserts = layers_->inserts,
               .evicted = layers_->evicted,
               .writing = layers_->share.spent()};
  if (layers_->disk) {
    s.evicted += layers_->disk->evicted();
    s.damaged = layers_->disk->damaged();
    s.refused = layers_->disk->refused();
  }
  return s;
}

const StoreConfig& Store::config() const noexcept { return layers_->config; }

}  // namespace rt::inline v0
