#include <bit>
#include <cmath>

#include "kernels/ref/ref.h"

namespace kern::ref {
namespace {

/// To nearest, ties to even, by adding what carries into the bits that stay. A NaN stays one.
template <Precision precision, class T>
T rounded(T x) {
  constexpr int kDropped = precision == Precision::bf16   ? 16
                           : precision == Precision::tf32 ? 13
                                                          : 0;
  if constexpr (kDropped == 0) {
    return x;
  } else {
    if (std::isnan(x)) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1u);
    return static_cast<T>(std::bit_cast<float>(bits >> kDropped << kDropped));
  }
}

template <Precision precision, class T>
void multiply(const GemmArgs<T>& g) {
  for (std::ptrdiff_t i = 0; i < g.m; ++i) {
    for (std::ptrdiff_t j = 0; j < g.n; ++j) {
      T sum = 0;
      for (std::ptrdiff_t p = 0; p < g.k; ++p) {
        const T a = g.trans_a ? g.a[p * g.lda + i] : g.a[i * g.lda + p];
        const T b = g.trans_b ? g.b[j * g.ldb + p] : g.b[p * g.ldb + j];
        sum += rounded<precision>(a) * rounded<precision>(b);
      }
      T& c = g.c[i * g.ldc + j];
      // As in BLAS, beta = 0 overwrites: an uninitialised NaN in C must not survive.
      c = g.alpha * sum + (g.beta == T(0) ? T(0) : g.beta * c);
    }
  }
}

}  // namespace

template <class T>
void gemm(Exec&, const GemmArgs<T>& g) {
  multiply<Precision::f32>(g);
}

template <class T, Precision precision>
void gemm_of_rounded(Exec&, const GemmArgs<T>& g) {
  multiply<precision>(g);
}

template void gemm(Exec&, const GemmArgs<float>&);
template void gemm(Exec&, const GemmArgs<double>&);
template void gemm_of_rounded<float, Precision::bf16>(Exec&, const GemmArgs<float>&);
template void gemm_of_rounded<double, Precision::bf16>(Exec&, const GemmArgs<double>&);
template void gemm_of_rounded<float, Precision::tf32>(Exec&, const GemmArgs<float>&);
template void gemm_of_rounded<double, Precision::tf32>(Exec&, const GemmArgs<double>&);

}  // namespace kern::ref
