#include "bench/tile_blas.h"

#include <cblas.h>
#include <lapacke.h>

#include <stdexcept>

namespace bench {
namespace {

/// Below this the halves are too thin to pay.
constexpr int kLeastHalf = 32;

template <class T>
int side(const rt::Matrix<T>& m) {
  return static_cast<int>(m.rows());
}

void multiply(int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c,
              int ldc) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}
void multiply(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c,
              int ldc) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}
void solve_whole(int m, int n, const double* u, int ldu, double* b, int ldb) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, m, n, 1, u, ldu, b,
              ldb);
}
void solve_whole(int m, int n, const float* u, int ldu, float* b, int ldb) {
  cblas_strsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, m, n, 1, u, ldu, b,
              ldb);
}

template <class T>
void solve_by_halves(int m, int n, const T* u, int ldu, T* b, int ldb) {
  if (m <= kLeastHalf) return solve_whole(m, n, u, ldu, b, ldb);
  const int half = m / 2;
  T* lower = b + static_cast<std::ptrdiff_t>(half) * ldb;
  solve_by_halves(half, n, u, ldu, b, ldb);
  multiply(m - half, n, half, u + half, ldu, b, ldb, lower, ldb);
  solve_by_halves(m - half, n, u + static_cast<std::ptrdiff_t>(half) * ldu + half, ldu, lower, ldb);
}

void check(int info) {
  if (info != 0) throw std::domain_error("the matrix is not positive definite");
}

}  // namespace

// Row-major U is what LAPACK, column-major, calls L.
void factorise_tile(rt::Matrix<double>& a) {
  check(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', side(a), a.data(), side(a)));
}
void factorise_tile(rt::Matrix<float>& a) {
  check(LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', side(a), a.data(), side(a)));
}

void solve_tile(const rt::Matrix<double>& u, rt::Matrix<double>& b) {
  solve_by_halves(side(u), side(b), u.data(), side(u), b.data(), side(b));
}
void solve_tile(const rt::Matrix<float>& u, rt::Matrix<float>& b) {
  solve_by_halves(side(u), side(b), u.data(), side(u), b.data(), side(b));
}

void square_tile(const rt::Matrix<double>& a, rt::Matrix<double>& c) {
  const int n = side(a);
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a.data(), n, 1, c.data(), n);
}
void square_tile(const rt::Matrix<float>& a, rt::Matrix<float>& c) {
  const int n = side(a);
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a.data(), n, 1, c.data(), n);
}

void product_tile(const rt::Matrix<double>& a, const rt::Matrix<double>& b, rt::Matrix<double>& c) {
  const int n = side(a);
  multiply(n, n, n, a.data(), n, b.data(), n, c.data(), n);
}
void product_tile(const rt::Matrix<float>& a, const rt::Matrix<float>& b, rt::Matrix<float>& c) {
  const int n = side(a);
  multiply(n, n, n, a.data(), n, b.data(), n, c.data(), n);
}

}  // namespace bench
