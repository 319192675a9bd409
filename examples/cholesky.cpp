// A blocked Cholesky factorisation A = L L^T: four kinds of tasks, and nobody draws the graph.
//   cholesky [N [BLOCK]]     (1024 and 128)
#include <cblas.h>
#include <lapacke.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"

using Tile = rt::Matrix<double>;

// Row-major L is column-major L^T: what LAPACK calls U is our L.
const auto potrf = rt::task("potrf", 1)
                       .cpu([](rt::inout<Tile> a) {
                         const int n = static_cast<int>(a->rows());
                         const int info =
                             LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a->data(), n);
                         if (info != 0) throw std::domain_error("not positive definite");
                       })
                       .pure();
const auto trsm = rt::task("trsm")
                      .cpu([](rt::in<Tile> l, rt::inout<Tile> b) {
                        const int n = static_cast<int>(l->rows());
                        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                                    n, n, 1, l->data(), n, b->data(), n);
                      })
                      .pure();
const auto syrk = rt::task("syrk")
                      .cpu([](rt::in<Tile> a, rt::inout<Tile> c) {
                        const int n = static_cast<int>(a->rows());
                        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1, a->data(), n,
                                    1, c->data(), n);
                      })
                      .pure();
const auto gemm = rt::task("gemm")
                      .cpu([](rt::in<Tile> a, rt::in<Tile> b, rt::inout<Tile> c) {
                        const int n = static_cast<int>(a->rows());
                        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1, a->data(),
                                    n, b->data(), n, 1, c->data(), n);
                      })
                      .pure();

// Row i of L is d(i) throughout, so A(i, j) = d(i) d(j) (min(i, j) + 1): the answer is known.
double d(std::size_t i) { return static_cast<double>(i % 13 + 1); }
double element(std::size_t i, std::size_t j) { return d(i) * d(j) * (std::fmin(i, j) + 1); }

int main(int argc, char** argv) try {
  rt::init(argc, argv);  // with --trellis-hosts=A,B the tasks run there
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
  const std::size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 128;
  if (size == 0 || n == 0 || n % size != 0) throw std::invalid_argument("BLOCK must divide N");
  openblas_set_num_threads(1);  // parallel are the tasks
  rt::Runtime runtime;
  std::vector<std::vector<rt::Value<Tile>>> a(n / size);  // the lower half
  for (std::size_t i = 0; i < n; i += size) {
    for (std::size_t j = 0; j <= i; j += size) {
      a[i / size].push_back(rt::value(Tile::generate(
          size, size, [=](std::size_t r, std::size_t c) { return element(i + r, j + c); })));
    }
  }

  const base::Moment start = base::now();
  for (std::size_t k = 0; k < a.size(); ++k) {
    potrf(a[k][k]);
    for (std::size_t i = k + 1; i < a.size(); ++i) trsm(a[k][k], a[i][k]);
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      syrk(a[i][k], a[i][i]);
      for (std::size_t j = k + 1; j < i; ++j) gemm(a[i][k], a[j][k], a[i][j]);
    }
  }
  rt::wait_all();
  const double gflops = std::pow(static_cast<double>(n), 3) / 3e9 / base::seconds_since(start);

  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& row = a[i / size];
    for (std::size_t j = 0; j <= i; ++j) {
      worst = std::fmax(worst, std::fabs(row[j / size].get()(i % size, j % size) - d(i)));
    }
  }
  std::fputs(runtime.summary().text().c_str(), stderr);  // which worker, which agent did how much
  std::printf("n = %zu, tiles of %zu: %.1f GF/s, largest error %.1e\n", n, size, gflops, worst);
  return worst < 1e-9 ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "cholesky: %s\n", e.what()), 1;
}
