#include "kernels/cuda/launch.h"

#include "kernels/cuda/functions.h"

namespace kern::KERN_ON {

void gemm(Exec&, const GemmArgs<float>& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k > 0) return driver::product(g);
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

}  // namespace kern::KERN_ON
