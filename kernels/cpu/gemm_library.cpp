#include "kernels/cpu/gemm_library.h"

#include <cblas.h>
#include <dnnl.h>

#include <algorithm>

#include "kernels/cpu/gemm_borders.h"

namespace kern::cpu {

GemmLibrary gemm_choice(Isa isa, const GemmArgs<float>& g) {
  // oneDNN does nothing at all when k is 0, and then C = beta C would be missing.
  if (g.m == 0 || g.n == 0 || g.k == 0) return GemmLibrary::own;
  // Matrix times vector: nothing to keep in registers, and OpenBLAS has kernels of its own for it.
  if (std::min(g.m, g.n) == 1) return GemmLibrary::openblas;
  // Our code reads B where it lies, at most once for every kRows rows of C: right while a near
  // cache gives it quickly enough. Beyond, oneDNN's copies and prefetches pay.
  const LayerShape shape = layer_shape(g);
  return shape.weights > own_border(isa, shape.product, shape.rows) ? GemmLibrary::onednn
                                                                    : GemmLibrary::own;
}

void openblas_gemm(const GemmArgs<float>& g) {
  cblas_sgemm(CblasRowMajor, g.trans_a ? CblasTrans : CblasNoTrans,
              g.trans_b ? CblasTrans : CblasNoTrans, g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb,
              g.beta, g.c, g.ldc);
}

void onednn_gemm(const GemmArgs<float>& g) {
  dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b,
             g.ldb, g.beta, g.c, g.ldc);
}

}  // namespace kern::cpu
