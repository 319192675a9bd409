#include "kernels/cuda/launch.h"

#include "kernels/cuda/functions.h"

namespace kern::KERN_ON {

namespace {

/// A product over nothing.
void keep_share(const GemmArgs<float>& g) {
  const float beta = g.beta;
  float* c = g.c;
  const int n = g.n;
  const auto ldc = static_cast<std::size_t>(g.ldc);
  over(static_cast<std::size_t>(g.m) * static_cast<std::size_t>(n), [=] KERN_DEVICE(std::size_t i) {
    const Place at = place(i, n);
    float& to = c[at.row * ldc + static_cast<std::size_t>(at.col)];
    to = beta == 0 ? 0 : beta * to;
  });
}

}  // namespace

template <Precision kPrecision>
void gemm(Exec&, const GemmArgs<float>& g) {
  if (g.m == 0 || g.n == 0) return;
  g.k > 0 ? driver::product(g, kPrecision) : keep_share(g);
}

template void gemm<Precision::f32>(Exec&, const GemmArgs<float>&);
template void gemm<Precision::bf16>(Exec&, const GemmArgs<float>&);
template void gemm<Precision::tf32>(Exec&, const GemmArgs<float>&);

}  // namespace kern::KERN_ON
