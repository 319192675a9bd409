#include "nn/training/undo.h"

#include <algorithm>

namespace nn {

template <class T>
Undo<T>::Undo(T* weights, T* slots, int slot_count, const ParamLayout& layout, std::size_t parts)
    : arrays_{weights}, trained_(layout.trained) {
  for (int i = 0; i < slot_count; ++i)
    arrays_.push_back(slots + layout.count * static_cast<std::size_t>(i));
  copies_.resize(arrays_.size() * trained_);
  parts_.reserve(parts);
}

template <class T>
void Undo<T>::keep(const SlabPart& part) {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    std::copy_n(arrays_[i] + part.offset, part.count, copy(i) + part.offset);
  parts_.push_back(part);
}

template <class T>
void Undo<T>::undo() {
  for (const SlabPart& part : parts_)
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      std::copy_n(copy(i) + part.offset, part.count, arrays_[i] + part.offset);
  forget();
}

template class Undo<float>;

}  // namespace nn
