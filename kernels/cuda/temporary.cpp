#include "kernels/cuda/temporary.h"

#include <algorithm>
#include <atomic>

namespace kern::KERN_ON {
namespace {

/// Of all threads: two never have the same number.
std::atomic<std::uint64_t> generations{0};

struct Chunk {
  std::byte* memory;
  std::size_t size;
};

/// A thread's chunks; all but the last are full.
class Chunks {
 public:
  Chunks() = default;
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;
  ~Chunks() {
    for (const Chunk& chunk : chunks_) driver::release(chunk.memory);
  }

  /// Several chunks become one that is as large as all.
  void begin() {
    used_ = 0;
    if (chunks_.size() < 2) return;
    std::size_t all = 0;
    for (const Chunk& chunk : chunks_) all += chunk.size;
    driver::wait();
    while (!chunks_.empty()) {
      driver::release(chunks_.back().memory);
      chunks_.pop_back();
    }
    add(all);
  }

  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  void* take(std::size_t size) {
    constexpr std::size_t kBoundary = 256;
    size = (size + kBoundary - 1) / kBoundary * kBoundary;
    if (chunks_.empty() || chunks_.back().size - used_ < size) {
      add(std::max(size, kSmallest));
      used_ = 0;
    }
    std::byte* memory = chunks_.back().memory + used_;
    used_ += size;
    return memory;
  }

 private:
  static constexpr std::size_t kSmallest = 1 << 20;

  void add(std::size_t size) {
    generation_ = ++generations;
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back({static_cast<std::byte*>(driver::allocate(size)), size});
  }

  std::vector<Chunk> chunks_;
  std::size_t used_ = 0;
  std::uint64_t generation_ = 0;
};

Chunks& chunks() {
  thread_local Chunks of_thread;
  return of_thread;
}

}  // namespace

Temporary::Temporary() { chunks().begin(); }

std::uint64_t Temporary::generation() noexcept { return chunks().generation(); }

void* Temporary::bytes(std::size_t size) { return chunks().take(size); }

}  // namespace kern::KERN_ON
