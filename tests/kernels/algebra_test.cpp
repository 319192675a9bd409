// Linear algebra in double: what it means, for the libraries and the reference.

#include "tests/kernels/support.h"

namespace kern::test {
namespace {

template <class F>
void for_each_algebra(F f) {
  {
    SCOPED_TRACE("ref");
    f(*ref_kernels<double>().algebra);
  }
  SCOPED_TRACE("cpu");
  f(*cpu_kernels().algebra);
}

constexpr int kSizes[] = {1, 2, 5, 17, 40};

/// a^T a of random rows, both triangles.
Doubles gram(int rows, int n, unsigned seed) {
  Random random(seed);
  const Doubles a = widen(random.floats(static_cast<std::size_t>(rows * n)));
  Doubles s(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n * n; ++i) {
    for (int r = 0; r < rows; ++r) s[i] += a[r * n + i / n] * a[r * n + i % n];
  }
  return s;
}

TEST(Algebra, GramsAddUpInTheLowerTriangle) {
  for_each_algebra([](const LinearAlgebra& algebra) {
    for (const int n : kSizes) {
      Random random(1);
      const Doubles a = widen(random.floats(static_cast<std::size_t>(9 * n)));
      const Doubles exact = gram(9, n, 1);
      Doubles s(static_cast<std::size_t>(n * n), 7);
      algebra.add_gram(4, n, a.data(), s.data());
      algebra.add_gram(5, n, a.data() + 4 * n, s.data());
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          EXPECT_NEAR(s[i * n + j], 7 + (j <= i ? exact[i * n + j] : 0), 1e-13);
        }
      }
    }
  });
}

TEST(Algebra, SolvesPositiveSystems) {
  for_each_algebra([](const LinearAlgebra& algebra) {
    for (const int n : kSizes) {
      constexpr int kRight = 3;
      Doubles s = gram(2 * n + 3, n, 2);
      Random random(3);
      const Doubles x = widen(random.floats(static_cast<std::size_t>(n * kRight)));
      Doubles b(x.size());
      for (int i = 0; i < n; ++i) {
        for (int c = 0; c < kRight; ++c) {
          for (int k = 0; k < n; ++k) b[i * kRight + c] += s[i * n + k] * x[k * kRight + c];
        }
      }
      ASSERT_TRUE(algebra.solve_positive(n, kRight, s.data(), b.data()));
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-9);
    }
  });
}

TEST(Algebra, TellsWhenASystemIsNotPositive) {
  for_each_algebra([](const LinearAlgebra& algebra) {
    Doubles s{1, 2, 2, 1}, b{1, 1};
    EXPECT_FALSE(algebra.solve_positive(2, 1, s.data(), b.data()));
    Doubles nan{std::nan(""), 0, 0, 1};
    EXPECT_FALSE(algebra.solve_positive(2, 1, nan.data(), b.data()));
  });
}

TEST(Algebra, EigenvectorsRebuildTheMatrix) {
  for_each_algebra([](const LinearAlgebra& algebra) {
    for (const int n : kSizes) {
      const Doubles s = gram(n / 2 + 1, n, 4);  // rank deficient
      Doubles vectors = s, values(static_cast<std::size_t>(n));
      algebra.eigen_symmetric(n, vectors.data(), values.data());
      EXPECT_TRUE(std::ranges::is_sorted(values));
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          double sum = 0, product = 0;
          for (int k = 0; k < n; ++k) {
            sum += values[k] * vectors[k * n + i] * vectors[k * n + j];
            product += vectors[i * n + k] * vectors[j * n + k];
          }
          EXPECT_NEAR(sum, s[i * n + j], 1e-11);
          EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
        }
      }
    }
  });
}

}  // namespace
}  // namespace kern::test
