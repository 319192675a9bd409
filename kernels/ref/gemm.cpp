#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
void gemm(Exec&, const GemmArgs<T>& g) {
  for (std::ptrdiff_t i = 0; i < g.m; ++i) {
    for (std::ptrdiff_t j = 0; j < g.n; ++j) {
      T sum = 0;
      for (std::ptrdiff_t p = 0; p < g.k; ++p) {
        const T a = g.trans_a ? g.a[p * g.lda + i] : g.a[i * g.lda + p];
        const T b = g.trans_b ? g.b[j * g.ldb + p] : g.b[p * g.ldb + j];
        sum += a * b;
      }
      T& c = g.c[i * g.ldc + j];
      // As in BLAS, beta = 0 overwrites: an uninitialised NaN in C must not survive.
      c = g.alpha * sum + (g.beta == T(0) ? T(0) : g.beta * c);
    }
  }
}

template void gemm(Exec&, const GemmArgs<float>&);
template void gemm(Exec&, const GemmArgs<double>&);

}  // namespace kern::ref
