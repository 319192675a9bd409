#pragma once
// The numbers of a network, and how operations read and change them wherever they lie.
//
// A network that operations work on lies in the memory of a kernel table. What an operation decides
// by is fetched from there, tensor by tensor; what it changes is drawn or fitted in the program's
// memory and put where it belongs; all else is moved by kernels and never leaves.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/block.h"
#include "nn/model/layout.h"
#include "nn/network/workspace.h"

namespace nn {

/// An array on a 64-byte boundary: of its own, zero at first, in the program's memory; or somebody
/// else's. A copy is an array of its own, or another view on the same one.
template <class T>
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::size_t count) : block_(count * sizeof(T)), size_(count) {}
  Numbers(T* borrowed, std::size_t count)
      : block_(reinterpret_cast<std::byte*>(borrowed), count * sizeof(T)), size_(count) {}
  Numbers(const Numbers& other);
  Numbers(Numbers&&) noexcept = default;
  Numbers& operator=(const Numbers& other);
  Numbers& operator=(Numbers&&) noexcept = default;
  ~Numbers() = default;

  [[nodiscard]] std::span<T> all() { return block_.template array<T>(0, size_); }
  [[nodiscard]] std::span<const T> all() const { return block_.template array<T>(0, size_); }

 private:
  Block block_;
  std::size_t size_ = 0;
};

/// One tensor of a copy of the weights (or of their gradients) in the program's memory: where it
/// is, or fetched.
template <class T>
class Fetched {
 public:
  /// `copy` is where the copy starts in `memory`; it outlives this.
  Fetched(const kern::Memory& memory, const T* copy, const ParamTensor& tensor);
  Fetched(Fetched&&) noexcept = default;
  Fetched(const Fetched&) = delete;
  Fetched& operator=(Fetched&&) noexcept = default;
  Fetched& operator=(const Fetched&) = delete;
  ~Fetched() = default;

  [[nodiscard]] std::span<const T> all() const { return {numbers_, size_}; }
  /// An element, counted from the start of the copy.
  [[nodiscard]] T operator[](std::size_t element) const { return numbers_[element - first_]; }

 private:
  std::vector<T> copy_;
  const T* numbers_;
  std::size_t size_, first_;
};

/// Some units along one axis of a tensor. Their numbers as a list: [outer, units, inner], where an
/// axis that repeats its units counts to `outer`.
class UnitSlice {
 public:
  UnitSlice(const ParamTensor& tensor, std::int32_t axis, std::span<const std::int32_t> units);

  [[nodiscard]] const ParamTensor& tensor() const { return *tensor_; }
  [[nodiscard]] const kern::UnitBlock& block() const { return block_; }
  [[nodiscard]] std::span<const std::uint32_t> units() const { return units_; }
  /// Numbers of all of them, and of one.
  [[nodiscard]] std::size_t size() const { return each() * units_.size(); }
  [[nodiscard]] std::size_t each() const { return block_.outer * block_.inner; }
  /// Where number i of the k-th unit stands in the list; its numbers are in the order of the
  /// tensor.
  [[nodiscard]] std::size_t at(std::size_t k, std::size_t i) const {
    return (i / block_.inner * units_.size() + k) * block_.inner + i % block_.inner;
  }
  /// Which number of its unit an element of the tensor is.
  [[nodiscard]] std::size_t number(std::size_t element) const {
    return element / (block_.units * block_.inner) * block_.inner + element % block_.inner;
  }

 private:
  const ParamTensor* tensor_;
  kern::UnitBlock block_;
  std::vector<std::uint32_t> units_;
};

/// The numbers along an axis that belong to units, as kernels take them.
[[nodiscard]] kern::UnitBlock unit_block(const ParamTensor& tensor, std::int32_t axis);

/// Who computes with a network's numbers, and memory for it: contents undefined, and every call of
/// the functions below may take all of it.
template <class T>
struct ReshapeContext {
  const kern::Kernels<T>& kernels;
  Workspace& workspace;

  /// Room in the kernels' memory.
  [[nodiscard]] T* room(std::size_t count) const;
  /// A list where kernels read it: where it is, or in room(); behind `taken` numbers there.
  [[nodiscard]] const T* placed(std::span<const T> list, std::size_t taken = 0) const;
};

/// `copy` of the weights or a slot gets these numbers for the units of a slice.
template <class T>
void set_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& slice,
               std::span<const T> list);

/// Adds `list` [the tensor's numbers] to a tensor of a copy.
template <class T>
void add_to_tensor(const ReshapeContext<T>& hands, T* copy, const ParamTensor& tensor,
                   std::span<const T> list);

/// Adds to the numbers of the units of a slice.
template <class T>
void add_to_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& slice,
                  std::span<const T> list);

/// Units `to` become what as many units `from` of the same tensor and axis are, times `factor`.
template <class T>
void copy_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& from, const UnitSlice& to,
                double factor);

extern template class Numbers<float>;
extern template class Numbers<double>;
extern template class Fetched<float>;
extern template class Fetched<double>;
extern template struct ReshapeContext<float>;
extern template struct ReshapeContext<double>;
extern template void set_units(const ReshapeContext<float>&, float*, const UnitSlice&,
                               std::span<const float>);
extern template void set_units(const ReshapeContext<double>&, double*, const UnitSlice&,
                               std::span<const double>);
extern template void add_to_tensor(const ReshapeContext<float>&, float*, const ParamTensor&,
                                   std::span<const float>);
extern template void add_to_tensor(const ReshapeContext<double>&, double*, const ParamTensor&,
                                   std::span<const double>);
extern template void add_to_units(const ReshapeContext<float>&, float*, const UnitSlice&,
                                  std::span<const float>);
extern template void add_to_units(const ReshapeContext<double>&, double*, const UnitSlice&,
                                  std::span<const double>);
extern template void copy_units(const ReshapeContext<float>&, float*, const UnitSlice&,
                                const UnitSlice&, double);
extern template void copy_units(const ReshapeContext<double>&, double*, const UnitSlice&,
                                const UnitSlice&, double);

}  // namespace nn
