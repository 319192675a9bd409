#include "kernels/cpu/algebra.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// LAPACK as OpenBLAS exports it: Fortran's calling convention, columns first.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
            double* work, const int* lwork, int* info);
}

namespace kern::cpu {

void add_gram(int rows, int n, const double* a, double* s) {
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, rows, 1, a, n, 1, s, n);
}

bool solve_positive(int n, int m, double* s, double* b) {
  int info = 0;
  dpotrf_("U", &n, s, &n, &info);  // the lower triangle, read by columns
  if (info != 0) return false;     // which a NaN need not cause
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(s[static_cast<std::ptrdiff_t>(i) * (n + 1)])) return false;
  }
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1, s, n, b,
              m);
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, m, 1, s, n, b, m);
  return true;
}

void eigen_symmetric(int n, double* a, double* values) {
  const int size = std::max(1, 34 * n);
  std::vector<double> work(static_cast<std::size_t>(size));
  int info = 0;
  dsyev_("V", "U", &n, a, &n, values, work.data(), &size, &info);
}

}  // namespace kern::cpu
