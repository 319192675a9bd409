#include "runtime/store.h"

#include <atomic>
#include <optional>
#include <utility>

#include "runtime/store/disk.h"
#include "runtime/store/memory.h"

namespace rt {

struct Store::Layers {
  explicit Layers(StoreConfig c) : config(std::move(c)), memory(config.memory_bytes) {
    std::error_code ignored;
    // Made absolute once: a later change of the working folder must not move the store.
    if (!config.folder.empty()) config.folder = std::filesystem::absolute(config.folder, ignored);
    if (!config.folder.empty()) disk.emplace(config.folder, config.disk_bytes);
  }

  StoreConfig config;
  store::MemoryLayer memory;
  std::optional<store::DiskLayer> disk;
  std::atomic<std::uint64_t> memory_hits{0}, disk_hits{0}, misses{0}, inserts{0}, evicted{0};
};

Store::Store(StoreConfig config) : layers_(std::make_unique<Layers>(std::move(config))) {}
Store::~Store() = default;

Store::Blob Store::lookup(Key key) {
  if (Blob found = layers_->memory.find(key)) {
    ++layers_->memory_hits;
    return found;
  }
  if (layers_->disk && key) {
    if (auto [bytes, cost] = layers_->disk->find(key); bytes) {
      ++layers_->disk_hits;
      layers_->evicted += layers_->memory.put(key, bytes, cost);
      return bytes;
    }
  }
  ++layers_->misses;
  return nullptr;
}

bool Store::contains(Key key) {
  return layers_->memory.find(key) != nullptr ||
         (layers_->disk && key && layers_->disk->contains(key));
}

void Store::insert(Key key, Bytes bytes, double cost) noexcept {
  try {
    insert(key, std::make_shared<const Bytes>(std::move(bytes)), cost);
  } catch (const std::exception&) {
    return;  // out of memory: a cache may forget
  }
}

void Store::insert(Key key, Blob bytes, double cost) noexcept {
  if (!key || !bytes) return;
  if (!(cost >= 0)) cost = 0;
  try {
    ++layers_->inserts;
    layers_->evicted += layers_->memory.put(key, bytes, cost);
    if (layers_->disk) layers_->disk->put(key, *bytes, cost);
  } catch (const std::exception&) {
    return;  // out of memory: a cache may forget
  }
}

void Store::erase(Key key) {
  layers_->memory.erase(key);
  if (layers_->disk && key) layers_->disk->erase(key);
}

StoreStats Store::stats() const {
  StoreStats s{layers_->memory_hits,
               layers_->disk_hits,
               layers_->misses,
               layers_->inserts,
               layers_->evicted,
               0,
               0};
  if (layers_->disk) {
    s.evicted += layers_->disk->evicted();
    s.damaged = layers_->disk->damaged();
    s.refused = layers_->disk->refused();
  }
  return s;
}

const StoreConfig& Store::config() const noexcept { return layers_->config; }

}  // namespace rt
