#pragma once
// One contiguous piece of memory aligned to a cache line, owned or borrowed: what buffer types keep
// their bytes in.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace nn {

/// Bytes that start on a 64-byte boundary. An owning block is zero-filled at first and keeps its
/// address when moved; a borrowed one is a view on memory that outlives it. Not copyable.
class Block {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// `bytes` rounded up to the alignment: where the next array in the same block may start.
  [[nodiscard]] static constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  Block() = default;
  /// Owning. Throws std::bad_alloc.
  explicit Block(std::size_t size);
  /// Borrowed; throws std::invalid_argument when `memory` is not aligned.
  Block(std::byte* memory, std::size_t size);

  [[nodiscard]] std::span<std::byte> bytes() { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] bool owning() const { return owned_ != nullptr; }

  /// `count` values of T at a byte offset that the caller has kept inside the block.
  template <class T>
  [[nodiscard]] std::span<T> array(std::size_t offset, std::size_t count) {
    return {reinterpret_cast<T*>(data_ + offset), count};
  }
  template <class T>
  [[nodiscard]] std::span<const T> array(std::size_t offset, std::size_t count) const {
    return {reinterpret_cast<const T*>(data_ + offset), count};
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> owned_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nn
