#include "nn/reshape/numbers.h"

#include <algorithm>

#include "nn/network/brought_here.h"

namespace nn {
namespace {

/// The numbers of a slice's units, times `factor`, as a list at `out`.
template <class T>
void gather_units(const kern::Kernels<T>& kernels, const T* copy, const UnitSlice& slice,
                  double factor, T* out) {
  const kern::UnitBlock& block = slice.block();
  const std::vector<std::int32_t> source(slice.units().begin(), slice.units().end());
  const std::vector<double> factors(source.size(), factor);
  const int outer = static_cast<int>(block.outer), inner = static_cast<int>(block.inner);
  kern::Exec exec;
  kernels.regroup(exec, {.axes = 3,
                         .axis = {{{nullptr, nullptr, outer, outer},
                                   {source.data(), factors.data(), static_cast<int>(source.size()),
                                    static_cast<int>(block.units)},
                                   {nullptr, nullptr, inner, inner}}},
                         .x = copy + slice.tensor().offset,
                         .y = out});
}

template <class T>
void put_units(const kern::Kernels<T>& kernels, T* copy, const UnitSlice& slice, const T* list) {
  kern::Exec exec;
  kernels.set_units(exec, slice.block(), static_cast<int>(slice.units().size()),
                    slice.units().data(), list, copy + slice.tensor().offset);
}

}  // namespace

template <class T>
Numbers<T>::Numbers(const Numbers& other) : size_(other.size_) {
  const std::span<const T> from = other.all();
  if (other.block_.owning()) {
    block_ = Block(from.size_bytes());
    std::ranges::copy(from, all().begin());
  } else if (size_ > 0) {
    block_ = Block(reinterpret_cast<std::byte*>(const_cast<T*>(from.data())), from.size_bytes());
  }
}

template <class T>
Numbers<T>& Numbers<T>::operator=(const Numbers& other) {
  if (this != &other) *this = Numbers(other);
  return *this;
}

template <class T>
Fetched<T>::Fetched(const kern::Memory& memory, const T* copy, const ParamTensor& tensor)
    : numbers_(brought_here(memory, copy + tensor.offset, tensor.count, copy_)),
      size_(tensor.count),
      first_(tensor.offset) {}

UnitSlice::UnitSlice(const ParamTensor& tensor, std::int32_t axis,
                     std::span<const std::int32_t> units)
    : tensor_(&tensor), block_(unit_block(tensor, axis)), units_(units.begin(), units.end()) {}

kern::UnitBlock unit_block(const ParamTensor& tensor, std::int32_t axis) {
  const auto a = static_cast<std::size_t>(axis);
  kern::UnitBlock block{.outer = static_cast<std::size_t>(tensor.axes[a].repeat),
                        .units = static_cast<std::size_t>(tensor.axes[a].units),
                        .inner = 1};
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    if (i < a) block.outer *= static_cast<std::size_t>(tensor.dims[i]);
    if (i > a) block.inner *= static_cast<std::size_t>(tensor.dims[i]);
  }
  return block;
}

template <class T>
T* ReshapeContext<T>::room(std::size_t count) const {
  return reinterpret_cast<T*>(workspace.arena(count * sizeof(T), *kernels.memory));
}

template <class T>
const T* ReshapeContext<T>::placed(std::span<const T> list, std::size_t taken) const {
  if (kernels.memory->own) return list.data();
  T* there = room(taken + list.size()) + taken;
  kernels.memory->put(there, list.data(), list.size_bytes());
  return there;
}

template <class T>
void set_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& slice,
               std::span<const T> list) {
  put_units(hands.kernels, copy, slice, hands.placed(list));
}

template <class T>
void add_to_tensor(const ReshapeContext<T>& hands, T* copy, const ParamTensor& tensor,
                   std::span<const T> list) {
  kern::Exec exec;
  hands.kernels.accumulate(exec, list.size(), hands.placed(list), copy + tensor.offset);
}

template <class T>
void add_to_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& slice,
                  std::span<const T> list) {
  T* const sum = hands.room(2 * slice.size());
  gather_units(hands.kernels, copy, slice, 1, sum);
  kern::Exec exec;
  hands.kernels.accumulate(exec, slice.size(), hands.placed(list, slice.size()), sum);
  put_units(hands.kernels, copy, slice, sum);
}

template <class T>
void copy_units(const ReshapeContext<T>& hands, T* copy, const UnitSlice& from, const UnitSlice& to,
                double factor) {
  T* const list = hands.room(from.size());
  gather_units(hands.kernels, copy, from, factor, list);
  put_units(hands.kernels, copy, to, list);
}

template class Numbers<float>;
template class Numbers<double>;
template class Fetched<float>;
template class Fetched<double>;
template struct ReshapeContext<float>;
template struct ReshapeContext<double>;
template void set_units(const ReshapeContext<float>&, float*, const UnitSlice&,
                        std::span<const float>);
template void set_units(const ReshapeContext<double>&, double*, const UnitSlice&,
                        std::span<const double>);
template void add_to_tensor(const ReshapeContext<float>&, float*, const ParamTensor&,
                            std::span<const float>);
template void add_to_tensor(const ReshapeContext<double>&, double*, const ParamTensor&,
                            std::span<const double>);
template void add_to_units(const ReshapeContext<float>&, float*, const UnitSlice&,
                           std::span<const float>);
template void add_to_units(const ReshapeContext<double>&, double*, const UnitSlice&,
                           std::span<const double>);
template void copy_units(const ReshapeContext<float>&, float*, const UnitSlice&, const UnitSlice&,
                         double);
template void copy_units(const ReshapeContext<double>&, double*, const UnitSlice&, const UnitSlice&,
                         double);

}  // namespace nn
