#include <algorithm>

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
double sum_squares(Exec&, std::size_t count, const T* x) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

template <class T>
void unit_squares(Exec&, const UnitBlock& b, const T* x, T* squares) {
  for (std::size_t u = 0; u < b.units; ++u) {
    T sum = 0;
    for (std::size_t o = 0; o < b.outer; ++o) {
      const T* unit = x + (o * b.units + u) * b.inner;
      for (std::size_t i = 0; i < b.inner; ++i) sum += unit[i] * unit[i];
    }
    squares[u] += sum;
  }
}

template <class T>
void scale_units(Exec&, const UnitBlock& b, const T* factor, T* x) {
  for (std::size_t i = 0; i < b.outer * b.units * b.inner; ++i)
    x[i] *= factor[i / b.inner % b.units];
}

template <class T>
void regroup(Exec&, const RegroupArgs<T>& a) {
  std::size_t count = 1;
  for (int d = 0; d < a.axes; ++d) count *= static_cast<std::size_t>(a.axis[d].length);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t from = 0, rest = i, below = count;
    double factor = 1;
    bool old = true;
    for (int d = 0; d < a.axes; ++d) {
      const AxisMap& axis = a.axis[d];
      below /= static_cast<std::size_t>(axis.length);
      const std::size_t at = rest / below;
      rest %= below;
      const auto source = axis.source == nullptr ? static_cast<std::int32_t>(at) : axis.source[at];
      old = old && source >= 0;
      from = from * static_cast<std::size_t>(axis.before) + static_cast<std::size_t>(source);
      if (axis.factor != nullptr) factor *= axis.factor[at];
    }
    a.y[i] = !old          ? T(0)
             : factor == 1 ? a.x[from]
                           : static_cast<T>(static_cast<double>(a.x[from]) * factor);
  }
}

template <class T>
void set_units(Exec&, const UnitBlock& b, int count, const std::uint32_t* units, const T* values,
               T* x) {
  for (std::size_t o = 0; o < b.outer; ++o) {
    for (int k = 0; k < count; ++k, values += b.inner)
      std::copy_n(values, b.inner, x + (o * b.units + units[k]) * b.inner);
  }
}

template double sum_squares(Exec&, std::size_t, const float*);
template double sum_squares(Exec&, std::size_t, const double*);
template void unit_squares(Exec&, const UnitBlock&, const float*, float*);
template void unit_squares(Exec&, const UnitBlock&, const double*, double*);
template void scale_units(Exec&, const UnitBlock&, const float*, float*);
template void scale_units(Exec&, const UnitBlock&, const double*, double*);
template void regroup(Exec&, const RegroupArgs<float>&);
template void regroup(Exec&, const RegroupArgs<double>&);
template void set_units(Exec&, const UnitBlock&, int, const std::uint32_t*, const float*, float*);
template void set_units(Exec&, const UnitBlock&, int, const std::uint32_t*, const double*, double*);

}  // namespace kern::ref
