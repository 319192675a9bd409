// Products in double are what a plain sum says.

#include "kernels/product.h"

#include "tests/kernels/support.h"

namespace kern::test {
namespace {

TEST(Product, AddsToWhatIsThere) {
  constexpr int kM = 3, kN = 5, kK = 7;
  Random random(6);
  const Doubles a = widen(random.floats(kM * kK)), b = widen(random.floats(kK * kN));
  Doubles c(kM * kN, 2);
  add_product(kM, kN, kK, a.data(), b.data(), c.data());
  for (int i = 0; i < kM * kN; ++i) {
    double sum = 2;
    for (int k = 0; k < kK; ++k) sum += a[i / kN * kK + k] * b[k * kN + i % kN];
    EXPECT_NEAR(c[i], sum, 1e-13);
  }
}

}  // namespace
}  // namespace kern::test
