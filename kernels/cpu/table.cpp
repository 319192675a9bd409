#include <cblas.h>

#include "kernels/cpu/cpu.h"

namespace kern {
namespace cpu {
namespace {

void gemm(Exec&, const GemmArgs<float>& g) {
  if (g.m == 0 || g.n == 0) return;
  cblas_sgemm(CblasRowMajor, g.trans_a ? CblasTrans : CblasNoTrans, g.trans_b ? CblasTrans : CblasNoTrans, g.m, g.n,
              g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
}

}  // namespace

const Kernels<float>& table(Isa) {
  static const Kernels<float> fast = [] {
    Kernels<float> t = ref_kernels<float>();
    t.name = "cpu";
    t.gemm = gemm;
    return t;
  }();
  return fast;
}

}  // namespace cpu

const Kernels<float>& cpu_kernels() {
  return cpu::table(cpu::chosen_isa());
}

}  // namespace kern
