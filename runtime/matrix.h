// A block of numbers as a value: the ready-made buffer type for matrices, tiles and vectors.
//
//   using Block = rt::Matrix<float>;
//   const auto scale = rt::task("scale").cpu([](rt::inout<Block> m, float by) {
//     for (float& x : m->span()) x *= by;
//   });
//   rt::Value<Block> v = rt::value(Block(64, 32));
//   scale(v, 2.0f);
//
// Buffer types of your own look the same: a Header that the codec can encode, and the members under
// "What rt::BufferType asks for". Not thread-safe by itself: the runtime orders who uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/text.h"

namespace rt::inline v0 {

/// rows x cols numbers in row-major order, 64-byte aligned. A rt::BufferType: its bytes live
/// wherever the task runs. Owning (made by size; zeros) or a view on memory of the runtime.
/// Movable; `clone` copies.
template <class T>
class Matrix {
  static_assert(std::is_arithmetic_v<T>);

 public:
  /// What is known about the block without looking at it; part of every key and of every message.
  struct Header {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    bool operator==(const Header&) const = default;
  };

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : Matrix(Header{rows, cols}) {}
  /// Owning, filled with zeros.
  explicit Matrix(Header header)
      : header_(header), data_(allocate(byte_size(header))), owning_(true) {}
  /// A view: `memory` outlives it and is never freed by it.
  Matrix(Header header, std::byte* memory) noexcept
      : header_(header), data_(reinterpret_cast<T*>(memory)) {}
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix&& other) noexcept {
    Matrix(std::move(other)).swap(*this);
    return *this;
  }
  ~Matrix() {
    if (owning_) ::operator delete (data_, std::align_val_t{64});
  }

  /// Owning, made of element(i, j).
  template <class F>
  [[nodiscard]] static Matrix generate(std::size_t rows, std::size_t cols, F element) {
    Matrix made(rows, cols);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) made(i, j) = element(i, j);
    }
    return made;
  }

  /// An owning copy.
  [[nodiscard]] Matrix clone() const {
    Matrix copy(header_);
    if (!bytes().empty()) std::memcpy(copy.data_, data_, byte_size(header_));
    return copy;
  }

  [[nodiscard]] std::size_t rows() const noexcept { return header_.rows; }
  [[nodiscard]] std::size_t cols() const noexcept { return header_.cols; }
  [[nodiscard]] std::size_t size() const noexcept { return header_.rows * header_.cols; }
  /// The numbers, row by row, without gaps. In a `.cuda` body these are addresses on the device.
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size()}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size()}; }
  /// Element of row i and column j; not checked.
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) noexcept {
    return data_[i * header_.cols + j];
  }
  [[nodiscard]] const T& operator()(std::size_t i, std::size_t j) const noexcept {
    return data_[i * header_.cols + j];
  }

  // What rt::BufferType asks for.
  [[nodiscard]] const Header& header() const noexcept { return header_; }
  [[nodiscard]] static std::size_t byte_size(const Header& h) noexcept {
    return h.rows * h.cols * sizeof(T);
  }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return std::as_writable_bytes(span()); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return std::as_bytes(span()); }
  [[nodiscard]] std::string describe() const {
    return base::cat("Matrix[", rows(), "x", cols(), "]");
  }

 private:
  static T* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* memory = ::operator new (bytes, std::align_val_t{64});
    std::memset(memory, 0, bytes);
    return static_cast<T*>(memory);
  }
  void swap(Matrix& other) noexcept {
    std::swap(header_, other.header_);
    std::swap(data_, other.data_);
    std::swap(owning_, other.owning_);
  }

  Header header_;
  T* data_ = nullptr;
  bool owning_ = false;
};

}  // namespace rt::inline v0
