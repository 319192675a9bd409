#include "kernels/cpu/gemm_library.h"

#include <cblas.h>
#include <dnnl.h>

#include <cstdint>

#include "kernels/cpu/gemm_thresholds.h"

namespace kern::cpu {

GemmLibrary gemm_choice(Isa isa, const GemmArgs<float>& g) {
  // A library's sums of a row depend on how many rows are multiplied at once. In the gradient of
  // weights alone rows of C are no rows of a batch.
  if (!g.trans_a) return GemmLibrary::own;
  // oneDNN does nothing at all when k is 0, and then C = beta C would be missing.
  if (g.m == 0 || g.n == 0 || g.k == 0) return GemmLibrary::own;
  // Our code reads B where it lies, at most once for every kRows rows of C: right while a near
  // cache gives it quickly enough. Beyond, oneDNN's copies and prefetches pay.
  return std::int64_t(g.m) * g.n > own_threshold(isa, g.k) ? GemmLibrary::onednn : GemmLibrary::own;
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
