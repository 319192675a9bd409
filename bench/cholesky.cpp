// `bench cholesky`: a blocked Cholesky factorisation A = U^T U by tasks, each on one core, against
// OpenBLAS's own threaded potrf on as many threads, in one run. Ours works on tiles, which are made
// before the clock starts; OpenBLAS on the usual layout.
#include <cblas.h>

#include <algorithm>
#include <stdexcept>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/tile_blas.h"
#include "runtime/runtime.h"

namespace bench {
namespace {

/// A product of two such tiles fills a core for some 3 ms, at which OpenBLAS's kernels have reached
/// their full rate, and 4096 leaves 36 of them: enough to choose from for a few cores.
constexpr std::size_t kTile = 512;

/// OpenBLAS's threads go on spinning for up to 0.3 s after their work: on the cores that our
/// workers need.
constexpr std::chrono::milliseconds kCoolDown{500};

template <class T>
using Tile = rt::Matrix<T>;

// What leads to the next factorised diagonal tile goes first: the priority is the distance to the
// end of the diagonal.
constexpr auto kRank = [](const int& rank) { return rank; };

template <class T>
const auto factorise = rt::task("factorise")
                           .cpu([](rt::inout<Tile<T>> a, int) { factorise_tile(*a); })
                           .priority(kRank);
template <class T>
const auto solve = rt::task("solve")
                       .cpu([](rt::in<Tile<T>> u, rt::inout<Tile<T>> b, int) {
                         solve_tile(*u, *b);
                       })
                       .priority(kRank);
template <class T>
const auto square = rt::task("square")
                        .cpu([](rt::in<Tile<T>> a, rt::inout<Tile<T>> c, int) {
                          square_tile(*a, *c);
                        })
                        .priority(kRank);
template <class T>
const auto product = rt::task("product")
                         .cpu([](rt::in<Tile<T>> a, rt::in<Tile<T>> b, rt::inout<Tile<T>> c, int) {
                           product_tile(*a, *b, *c);
                         })
                         .priority(kRank);

/// The upper half in tiles: row k holds columns k, k+1, ...
template <class T>
using Grid = std::vector<std::vector<rt::Value<Tile<T>>>>;

/// Random below 1 with a heavy diagonal: positive definite.
template <class T>
Tile<T> input(std::size_t n) {
  Tile<T> a(n, n);
  base::Stream random(1, "cholesky");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      a(i, j) = a(j, i) = static_cast<T>(random.uniform()) + (i == j ? static_cast<T>(n) : T{0});
    }
  }
  return a;
}

template <class T>
Grid<T> tiles_of(const Tile<T>& a) {
  Grid<T> grid(a.rows() / kTile);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::size_t j = i; j < grid.size(); ++j) {
      grid[i].push_back(
          rt::value(Tile<T>::generate(kTile, kTile, [&](std::size_t r, std::size_t c) {
            return a(i * kTile + r, j * kTile + c);
          })));
    }
  }
  return grid;
}

/// Seconds for all tasks, from the first call to the end of the last.
template <class T>
double by_tasks(Grid<T>& u) {
  const base::Moment start = base::now();
  const std::size_t n = u.size();
  const auto rank = [n](std::size_t k, std::size_t i, std::size_t j) {
    return std::clamp(static_cast<int>(3 * n) - static_cast<int>(k + i + j), -1000, 1000);
  };
  for (std::size_t k = 0; k < n; ++k) {
    factorise<T>(u[k][0], rank(k, k, k));
    for (std::size_t j = k + 1; j < n; ++j) solve<T>(u[k][0], u[k][j - k], rank(k, k, j));
    for (std::size_t j = k + 1; j < n; ++j) {
      for (std::size_t i = k + 1; i < j; ++i)
        product<T>(u[k][i - k], u[k][j - k], u[i][j - i], rank(k, i, j));
      square<T>(u[k][j - k], u[j][0], rank(k, j, j));
    }
  }
  rt::wait_all();
  return base::seconds_since(start);
}

/// Seconds for OpenBLAS on the usual layout with threads of its own.
template <class T>
double by_threads(const Tile<T>& a, int threads) {
  Tile<T> copy = a.clone();
  openblas_set_num_threads(threads);
  const base::Moment start = base::now();
  factorise_tile(copy);
  const double seconds = base::seconds_since(start);
  openblas_set_num_threads(1);
  base::sleep_for(kCoolDown);
  return seconds;
}

/// y += M x, or M^T x, for the part on and above the diagonal of a tile at (row, col) of a larger
/// matrix.
template <class T>
void add_product(const Tile<T>& m, bool transposed, std::size_t row, std::size_t col,
                 const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    for (std::size_t c = row + r > col ? row + r - col : 0; c < m.cols(); ++c) {
      const auto value = static_cast<double>(m(r, c));
      if (transposed) {
        y[col + c] += value * x[row + r];
      } else {
        y[row + r] += value * x[col + c];
      }
    }
  }
}

/// Largest difference between U^T (U x) and A x for a random x, relative to A's size.
template <class T>
double residual(const Tile<T>& a, const Grid<T>& u) {
  const std::size_t n = a.rows();
  std::vector<double> x(n), ux(n), product_x(n);
  base::Stream random(2, "residual");
  for (double& v : x) v = random.uniform(-1, 1);
  for (const bool transposed : {false, true}) {
    for (std::size_t i = 0; i < u.size(); ++i) {
      for (std::size_t j = i; j < u.size(); ++j) {
        add_product(u[i][j - i].get(), transposed, i * kTile, j * kTile, transposed ? ux : x,
                    transposed ? product_x : ux);
      }
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double ax = 0;
    for (std::size_t j = 0; j < n; ++j) ax += static_cast<double>(a(i, j)) * x[j];
    worst = std::max(worst, std::fabs(product_x[i] - ax));
  }
  return worst / static_cast<double>(n);
}

template <class T>
Case measure(const Options& options, int workers) {
  const std::size_t n = options.quick ? 1024 : 4096;
  const Tile<T> a = input<T>(n);
  const double work = std::pow(static_cast<double>(n), 3) / 3 * 1e-9;
  std::vector<double> mine, theirs;
  for (int i = 0; i < (options.quick ? 3 : 8); ++i) {
    Grid<T> grid = tiles_of(a);
    const double seconds = by_tasks(grid);
    const double rival = by_threads(a, workers);
    if (i == 0) {
      const double error = residual(a, grid);
      if (!(error < (sizeof(T) == 8 ? 1e-12 : 1e-3))) {
        throw std::runtime_error(base::cat("cholesky: the residual is ", error));
      }
      continue;  // the first one also warms up both sides
    }
    mine.push_back(work / seconds);
    theirs.push_back(work / rival);
  }
  const Sample s = sample_of(mine);
  Case c{base::cat(sizeof(T) == 8 ? "dpotrf " : "spotrf ", n, ", tiles of ", kTile, ", ", workers,
                   " workers"),
         s.median, "GF/s", base::cat("OpenBLAS, ", workers, " threads"), sample_of(theirs).median};
  c.spread = s.spread;
  c.ratio = c.ours / c.rival_value;
  return c;
}

}  // namespace

std::vector<Case> run_cholesky(const Options& options) {
  openblas_set_num_threads(1);
  const rt::Runtime runtime({.workers = options.workers, .gpus = 0});
  return {measure<double>(options, runtime.workers()), measure<float>(options, runtime.workers())};
}

}  // namespace bench
