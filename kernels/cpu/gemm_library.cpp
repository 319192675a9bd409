#include "kernels/cpu/gemm_library.h"

#include <cblas.h>
#include <dnnl.h>

#include <algorithm>

namespace kern::cpu {

GemmLibrary gemm_choice(const GemmArgs<float>& g) {
  if (g.m == 0 || g.n == 0 || g.k == 0) return GemmLibrary::own;
  if (std::min(g.m, g.n) == 1) return GemmLibrary::openblas;
  return GemmLibrary::own;
}

void openblas_gemm(const GemmArgs<float>& g) {
  cblas_sgemm(CblasRowMajor, g.trans_a ? CblasTrans : CblasNoTrans, g.trans_b ? CblasTrans : CblasNoTrans, g.m, g.n,
              g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
}

void onednn_gemm(const GemmArgs<float>& g) {
  dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta,
             g.c, g.ldc);
}

}  // namespace kern::cpu
