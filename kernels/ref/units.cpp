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

template double sum_squares(Exec&, std::size_t, const float*);
template double sum_squares(Exec&, std::size_t, const double*);
template void unit_squares(Exec&, const UnitBlock&, const float*, float*);
template void unit_squares(Exec&, const UnitBlock&, const double*, double*);
template void scale_units(Exec&, const UnitBlock&, const float*, float*);
template void scale_units(Exec&, const UnitBlock&, const double*, double*);

}  // namespace kern::ref
