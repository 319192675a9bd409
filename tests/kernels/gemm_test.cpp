#include <cmath>

#include "tests/kernels/support.h"

namespace kern::test {
namespace {

struct Product {
  bool trans_a, trans_b;
  int m, n, k;
  int pad;  // columns by which every row stride exceeds the row
  float alpha, beta;
};

std::string describe(const Product& p) {
  return std::string(p.trans_a ? "T" : "N") + (p.trans_b ? "T" : "N") + " m " +
         std::to_string(p.m) + " n " + std::to_string(p.n) + " k " + std::to_string(p.k) + " pad " +
         std::to_string(p.pad);
}

template <class T>
GemmArgs<T> args_of(const Product& p, const std::vector<T>& a, const std::vector<T>& b,
                    std::vector<T>& c) {
  return {.trans_a = p.trans_a,
          .trans_b = p.trans_b,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .alpha = T(p.alpha),
          .a = a.data(),
          .lda = (p.trans_a ? p.m : p.k) + p.pad,
          .b = b.data(),
          .ldb = (p.trans_b ? p.k : p.n) + p.pad,
          .beta = T(p.beta),
          .c = c.data(),
          .ldc = p.n + p.pad};
}

/// Operands with exactly the elements that the strides allow, so that a sanitizer sees any read
/// beyond.
struct Operands {
  Operands(const Product& p, unsigned seed) {
    Random random(seed);
    const auto size = [&](int rows, int cols) {
      return rows == 0 ? std::size_t(0)
                       : std::size_t(rows - 1) * std::size_t(cols + p.pad) + std::size_t(cols);
    };
    a = random.floats(p.trans_a ? size(p.k, p.m) : size(p.m, p.k));
    b = random.floats(p.trans_b ? size(p.n, p.k) : size(p.k, p.n));
    c = random.floats(size(p.m, p.n));
  }
  Floats a, b, c;
};

void check(const Kernels<float>& kernels, const Product& p, unsigned seed) {
  SCOPED_TRACE(describe(p));
  const Operands in(p, seed);
  Exec exec;
  Doubles a = widen(in.a), b = widen(in.b), expected = widen(in.c);
  ref_kernels<double>(kernels.precision).gemm(exec, args_of(p, a, b, expected));
  Floats c = in.c, again = in.c;
  kernels.gemm(exec, args_of(p, in.a, in.b, c));
  // What k products of two numbers from -1 to 1 add up to, as a rule: of few sums all may cancel.
  const double usual = std::sqrt(static_cast<double>(p.k)) / 3;
  expect_close(c, expected, p.k, "C", usual);
  kernels.gemm(exec, args_of(p, in.a, in.b, again));
  EXPECT_TRUE(same_bits(c, again));
}

TEST(Gemm, AgreesWithTheOracleOnEdgeShapes) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const int m : {0, 1, 2, 7, 15, 29})
      for (const int n : {0, 1, 3, 10, 16, 33, 70})
        for (const int k : {0, 1, 3, 17, 64})
          for (const int t : {0, 1, 2, 3})
            check(
                kernels,
                {(t & 1) != 0, (t & 2) != 0, m, n, k, int(seed % 3), 1.0f, seed % 2 ? 0.0f : 0.5f},
                ++seed);
  });
}

TEST(Gemm, AgreesWithTheOracleOnRandomShapes) {
  for_each_table([](const Kernels<float>& kernels) {
    Random random(5);
    for (unsigned i = 0; i < 60; ++i)
      check(
          kernels,
          {random.below(2) == 1, random.below(2) == 1, 1 + random.below(150), 1 + random.below(150),
           1 + random.below(300), random.below(9), i % 3 ? 1.0f : -0.75f, i % 2 ? 0.0f : 1.0f},
          i);
  });
}

TEST(Gemm, AgreesWithTheOracleOnLargeAndAwkwardShapes) {
  // More than one block along k, power-of-two strides, more than one block of columns, one row, one
  // column.
  const Product products[] = {
      {false, false, 64, 97, 784, 0, 1, 0},  {true, false, 256, 70, 600, 0, 1, 1},
      {false, true, 33, 300, 1024, 0, 1, 0}, {false, false, 16, 700, 512, 0, 1, 0},
      {true, true, 40, 50, 300, 0, 1, 0},    {false, false, 3, 1500, 512, 0, 1, 0},
      {true, false, 300, 1, 128, 0, 1, 0},   {false, false, 300, 1, 128, 0, 1, 0},
      {true, true, 300, 40, 1100, 3, 1, 1},  {false, true, 40, 300, 513, 1, 1, 0},
      {true, false, 2100, 33, 31, 0, 1, 0},  {false, false, 9, 600, 640, 0, 1, 0.5f},
      {false, false, 64, 256, 784, 0, 1, 0}, {false, false, 45, 790, 65, 3, 1, 0.5f},
      {true, false, 100, 1030, 70, 0, 1, 1}, {true, false, 61, 512, 259, 0, 1, 0}};
  for_each_table([&](const Kernels<float>& kernels) {
    unsigned seed = 100;
    for (const Product& p : products) check(kernels, p, ++seed);
  });
}

TEST(Gemm, BetaZeroOverwritesNan) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    for (const int n : {1, 5, 40}) {
      const Product p{false, false, 9, n, 6, 0, 1, 0};
      Operands in(p, 3);
      in.c.assign(in.c.size(), std::numeric_limits<float>::quiet_NaN());
      kernels.gemm(exec, args_of(p, in.a, in.b, in.c));
      for (const float x : in.c) ASSERT_TRUE(std::isfinite(x));
    }
  });
}

/// Dense layers of up to 2^18 weights train by slices of at least two rows and 32 columns, where
/// memory is the program's own, by a table that chooses how: what a library makes of a slice is
/// another thing on each kind of processor.
TEST(Gemm, SlicesOfAWeightGradientHaveTheBitsOfTheWhole) {
  if (on_gpu()) GTEST_SKIP() << "a device takes a weight gradient whole";
  for_each_table([](const Kernels<float>& kernels) {
    if (!kernels.memory->own || is_of_a_library(kernels)) return;
    Exec exec;
    for (const auto& [m, n, k] : {std::tuple{57, 256, 20},
                                  {113, 64, 64},
                                  {784, 256, 64},
                                  {784, 33, 7},
                                  {4096, 64, 128},
                                  {1024, 256, 16},
                                  {500, 256, 300},
                                  {300, 70, 513}}) {
      const Product whole{true, false, m, n, k, 0, 1, 0};
      const Operands in(whole, 5);
      Floats all = in.c, sliced = in.c;
      const GemmArgs<float> g = args_of(whole, in.a, in.b, all);
      kernels.gemm(exec, g);
      for (int row = 0, some = 0; row < m; row += some) {
        some = m - row == 29 ? 29 : std::min(28, m - row);
        GemmArgs<float> slice = args_of(whole, in.a, in.b, sliced);
        slice.m = some;
        slice.a += row;
        slice.c += std::ptrdiff_t(row) * n;
        kernels.gemm(exec, slice);
      }
      EXPECT_EQ(all, sliced) << describe(whole);
    }
  });
}

TEST(Gemm, WritesNothingBetweenItsRows) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Product p{false, true, 20, 19, 40, 6, 1, 0};
    Operands in(p, 4);
    Floats c = in.c;
    kernels.gemm(exec, args_of(p, in.a, in.b, c));
    for (std::size_t i = 0; i < c.size(); ++i)
      if (i % 25 >= 19) {
        ASSERT_EQ(c[i], in.c[i]) << i;
      }
  });
}

TEST(Gemm, ReferenceMultipliesByHand) {
  const Doubles a{1, 2, 3, 4}, b{5, 6, 7, 8};
  Doubles c{1, 1, 1, 1};
  Exec exec;
  ref_kernels<double>().gemm(exec, {.m = 2,
                                    .n = 2,
                                    .k = 2,
                                    .alpha = 2,
                                    .a = a.data(),
                                    .lda = 2,
                                    .b = b.data(),
                                    .ldb = 2,
                                    .beta = 10,
                                    .c = c.data(),
                                    .ldc = 2});
  EXPECT_EQ(c, (Doubles{48, 54, 96, 110}));
}

}  // namespace
}  // namespace kern::test
