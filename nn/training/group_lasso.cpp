#include "nn/training/group_lasso.h"

#include <algorithm>
#include <cmath>

namespace nn {

template <class T>
GroupLasso<T>::GroupLasso(const ModelSpec& spec) : groups_(unit_numbers(spec)) {
  std::size_t most = 0;
  for (const UnitNumbers& group : groups_) most = std::max(most, group.units);
  numbers_.resize(most);
}

template <class T>
void GroupLasso<T>::pull(const kern::Kernels<T>& kernels, kern::Exec& exec, double share,
                         T* weights) {
  for (const UnitNumbers& group : groups_) {
    std::fill_n(numbers_.begin(), group.units, T(0));
    for (const UnitNumbers::Part& part : group.parts)
      kernels.unit_squares(exec, part.block, weights + part.offset, numbers_.data());
    T sum = 0;
    for (std::size_t u = 0; u < group.units; ++u) sum += numbers_[u] = std::sqrt(numbers_[u]);
    const T by = static_cast<T>(share) * (sum / static_cast<T>(group.units));
    for (std::size_t u = 0; u < group.units; ++u)
      numbers_[u] = numbers_[u] <= by ? T(0) : 1 - by / numbers_[u];
    for (const UnitNumbers::Part& part : group.parts)
      kernels.scale_units(exec, part.block, numbers_.data(), weights + part.offset);
  }
}

template class GroupLasso<float>;
template class GroupLasso<double>;

}  // namespace nn
