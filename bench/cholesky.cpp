// `bench cholesky`: a blocked Cholesky factorisation by tasks, each on one core, against OpenBLAS's
// own threaded potrf on as many threads, in one run. Ours works on tiles, which are made before the
// clock starts; OpenBLAS on the usual layout.
#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <stdexcept>

#include "bench/bench.h"
#include "bench/measure.h"
#include "runtime/base/clock.h"
#include "runtime/base/random.h"
#include "runtime/base/text.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"

namespace bench {
namespace {

template <class T>
using Tile = rt::Matrix<T>;

// --- BLAS by precision. Tiles are row-major; row-major L is what LAPACK, column-major, calls U.
// ---
void potrf_in(Tile<double>& a) {
  const int n = static_cast<int>(a.rows());
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a.data(), n) != 0)
    throw std::domain_error("not positive definite");
}
void potrf_in(Tile<float>& a) {
  const int n = static_cast<int>(a.rows());
  if (LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'U', n, a.data(), n) != 0)
    throw std::domain_error("not positive definite");
}
void trsm_in(const Tile<double>& l, Tile<double>& b) {
  const int n = static_cast<int>(l.rows());
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l.data(), n,
              b.data(), n);
}
void trsm_in(const Tile<float>& l, Tile<float>& b) {
  const int n = static_cast<int>(l.rows());
  cblas_strsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l.data(), n,
              b.data(), n);
}
void syrk_in(const Tile<double>& a, Tile<double>& c) {
  const int n = static_cast<int>(a.rows());
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1, a.data(), n, 1, c.data(), n);
}
void syrk_in(const Tile<float>& a, Tile<float>& c) {
  const int n = static_cast<int>(a.rows());
  cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1, a.data(), n, 1, c.data(), n);
}
void gemm_in(const Tile<double>& a, const Tile<double>& b, Tile<double>& c) {
  const int n = static_cast<int>(a.rows());
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1, a.data(), n, b.data(), n, 1,
              c.data(), n);
}
void gemm_in(const Tile<float>& a, const Tile<float>& b, Tile<float>& c) {
  const int n = static_cast<int>(a.rows());
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1, a.data(), n, b.data(), n, 1,
              c.data(), n);
}

// --- Tasks. `rank` is the distance from the last diagonal tile: what leads to the next potrf goes
// first. ---
template <class T>
const auto potrf = rt::task("potrf")
                       .cpu([](rt::inout<Tile<T>> a, int) { potrf_in(*a); })
                       .priority([](const int& rank) { return rank; });
template <class T>
const auto trsm = rt::task("trsm")
                      .cpu([](rt::in<Tile<T>> l, rt::inout<Tile<T>> b, int) { trsm_in(*l, *b); })
                      .priority([](const int& rank) { return rank; });
template <class T>
const auto syrk = rt::task("syrk")
                      .cpu([](rt::in<Tile<T>> a, rt::inout<Tile<T>> c, int) { syrk_in(*a, *c); })
                      .priority([](const int& rank) { return rank; });
template <class T>
const auto gemm = rt::task("gemm")
                      .cpu([](rt::in<Tile<T>> a, rt::in<Tile<T>> b, rt::inout<Tile<T>> c, int) {
                        gemm_in(*a, *b, *c);
                      })
                      .priority([](const int& rank) { return rank; });

template <class T>
using Grid = std::vector<std::vector<rt::Value<Tile<T>>>>;

/// Random below 1 with a heavy diagonal: positive definite.
template <class T>
Tile<T> input(std::size_t n) {
  Tile<T> a(n, n);
  rt::Stream random(1, "cholesky");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      a(i, j) = a(j, i) = static_cast<T>(random.uniform()) + (i == j ? static_cast<T>(n) : T{0});
    }
  }
  return a;
}

template <class T>
Grid<T> tiles_of(const Tile<T>& a, std::size_t size) {
  Grid<T> grid(a.rows() / size);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      grid[i].push_back(rt::value(Tile<T>::generate(size, size, [&](std::size_t r, std::size_t c) {
        return a(i * size + r, j * size + c);
      })));
    }
  }
  return grid;
}

template <class T>
double factorise(Grid<T>& a) {
  const rt::Moment start = rt::now();
  const int count = static_cast<int>(a.size());
  const auto rank = [count](std::size_t k, std::size_t i, std::size_t j) {
    return std::clamp(3 * count - static_cast<int>(k + i + j), -1000, 1000);
  };
  for (std::size_t k = 0; k < a.size(); ++k) {
    potrf<T>(a[k][k], rank(k, k, k));
    for (std::size_t i = k + 1; i < a.size(); ++i) trsm<T>(a[k][k], a[i][k], rank(k, i, k));
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      for (std::size_t j = k + 1; j < i; ++j) gemm<T>(a[i][k], a[j][k], a[i][j], rank(k, i, j));
      syrk<T>(a[i][k], a[i][i], rank(k, i, i));
    }
  }
  rt::wait_all();
  return rt::seconds_since(start);
}

/// OpenBLAS on the usual layout with its own threads.
template <class T>
double factorise_threaded(const Tile<T>& a, int threads) {
  Tile<T> copy = a.clone();
  openblas_set_num_threads(threads);
  const rt::Moment start = rt::now();
  potrf_in(copy);
  const double seconds = rt::seconds_since(start);
  openblas_set_num_threads(1);
  rt::sleep_for(std::chrono::milliseconds(100));  // its threads spin for a while after their work
  return seconds;
}

/// y += M x or M^T x for one tile that lies at (row, col) of a larger matrix; what is above the
/// diagonal does not count.
template <class T>
void add_product(const Tile<T>& m, bool transposed, std::size_t row, std::size_t col,
                 const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    for (std::size_t c = 0; c < m.cols() && col + c <= row + r; ++c) {
      const auto value = static_cast<double>(m(r, c));
      if (transposed) {
        y[col + c] += value * x[row + r];
      } else {
        y[row + r] += value * x[col + c];
      }
    }
  }
}

/// Largest difference between L (L^T x) and A x, relative to A's size.
template <class T>
double residual(const Tile<T>& a, const Grid<T>& l, std::size_t size) {
  const std::size_t n = a.rows();
  std::vector<double> ltx(n), llx(n), x(n);
  rt::Stream random(2, "residual");
  for (double& v : x) v = random.uniform(-1, 1);
  const auto by_tiles = [&](bool transposed, const std::vector<double>& from,
                            std::vector<double>& to) {
    for (std::size_t i = 0; i < l.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        add_product(l[i][j].get(), transposed, i * size, j * size, from, to);
    }
  };
  by_tiles(true, x, ltx);
  by_tiles(false, ltx, llx);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double ax = 0;
    for (std::size_t j = 0; j < n; ++j) ax += static_cast<double>(a(i, j)) * x[j];
    worst = std::max(worst, std::fabs(llx[i] - ax));
  }
  return worst / static_cast<double>(n);
}

template <class T>
void add_precision(std::vector<Case>& cases, const Options& options, int workers,
                   std::size_t size) {
  const std::size_t n = options.quick ? 1024 : 4096;
  const Tile<T> a = input<T>(n);
  const double flops = std::pow(static_cast<double>(n), 3) / 3 * 1e-9;
  std::vector<double> mine, theirs;
  for (int i = 0; i < (options.quick ? 2 : 6); ++i) {
    Grid<T> grid = tiles_of(a, size);
    const double seconds = factorise(grid);
    const double rival = factorise_threaded(a, workers);
    if (i == 0) {
      const double error = residual(a, grid, size);
      if (!(error < (sizeof(T) == 8 ? 1e-12 : 1e-3)))
        throw std::runtime_error(rt::cat("cholesky: the residual is ", error));
      continue;
    }
    mine.push_back(flops / seconds);
    theirs.push_back(flops / rival);
  }
  const Sample s = sample_of(mine);
  Case c{rt::cat(sizeof(T) == 8 ? "dpotrf " : "spotrf ", n, ", tiles of ", size, ", ", workers,
                 " workers"),
         s.median, "GF/s", rt::cat("OpenBLAS, ", workers, " threads"), sample_of(theirs).median};
  c.spread = s.spread;
  c.ratio = c.ours / c.rival_value;
  cases.push_back(c);
}

}  // namespace

std::vector<Case> run_cholesky(const Options& options) {
  openblas_set_num_threads(1);
  rt::Runtime runtime({.workers = options.workers, .gpus = 0});
  std::vector<Case> cases;
  add_precision<double>(cases, options, runtime.workers(), 256);
  add_precision<float>(cases, options, runtime.workers(), 256);
  return cases;
}

}  // namespace bench
