// A blocked matrix product C = A B: one task a block product, ordered by the blocks it writes.
//   matrix_product [N [BLOCK]]     (512 and 128)
#include <cblas.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"

using Block = rt::Matrix<double>;
using Grid = std::vector<std::vector<rt::Value<Block>>>;

// Access modes are the body's parameter types: C is updated, A and B are read.
const auto multiply_add = rt::task("multiply_add", 1)
                              .cpu([](rt::inout<Block> c, rt::in<Block> a, rt::in<Block> b) {
                                const int n = static_cast<int>(c->rows());
                                cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0,
                                            a->data(), n, b->data(), n, 1.0, c->data(), n);
                              })
                              .pure();

// A block is made by a task too, from its place.
const auto fill =
    rt::task("fill", 1)
        .cpu([](std::uint64_t which, std::uint64_t row, std::uint64_t col,
                std::uint64_t size) -> Block {
          base::Stream random(1, "matrix_product", which, row, col);
          return Block::generate(size, size, [&](auto, auto) { return random.uniform(-1, 1); });
        })
        .pure();

Grid random_grid(std::size_t which, std::size_t blocks, std::size_t size) {
  Grid grid(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) grid[i].push_back(fill(which, i, j, size));
  }
  return grid;
}

// y = M x, block by block: reading a value waits for it.
std::vector<double> times(const Grid& m, const std::vector<double>& x, std::size_t size) {
  std::vector<double> y(x.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t col = 0; col < x.size(); ++col) {
      y[row] += m[row / size][col / size].get()(row % size, col % size) * x[col];
    }
  }
  return y;
}

int main(int argc, char** argv) try {
  rt::init(argc, argv);  // with --trellis-hosts=A,B the tasks run there
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
  const std::size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 128;
  if (size == 0 || n == 0 || n % size != 0) throw std::invalid_argument("BLOCK must divide N");
  openblas_set_num_threads(1);  // parallel are the tasks

  rt::Runtime runtime;
  const Grid a = random_grid(0, n / size, size), b = random_grid(1, n / size, size);
  Grid c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      c[i].push_back(rt::value(Block(size, size)));
      for (std::size_t k = 0; k < a.size(); ++k) multiply_add(c[i][j], a[i][k], b[k][j]);
    }
  }

  const std::vector<double> x(n, 1.0);  // C x must be A (B x)
  const auto left = times(c, x, size), right = times(a, times(b, x, size), size);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(left[i] - right[i]));
  std::printf("n = %zu, blocks of %zu: largest difference %.1e\n", n, size, worst);
  return worst < 1e-9 * static_cast<double>(n) ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "matrix_product: %s\n", e.what()), 1;
}
