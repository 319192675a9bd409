#include "tests/kernels/support.h"

namespace kern::test {
namespace {

constexpr UnitBlock kBlocks[] = {{1, 1, 1},  {1, 7, 1},  {300, 33, 1}, {5, 16, 1},
                                 {1, 9, 25}, {3, 5, 64}, {2, 17, 130}, {0, 4, 3}};

std::size_t count_of(const UnitBlock& b) { return b.outer * b.units * b.inner; }

template <class Body>
void for_each_block(Body body) {
  unsigned seed = 0;
  for (const UnitBlock& b : kBlocks) {
    SCOPED_TRACE(std::to_string(b.outer) + " x " + std::to_string(b.units) + " x " +
                 std::to_string(b.inner));
    body(b, Random(++seed));
  }
}

TEST(SumSquares, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t count : {0, 1, 15, 16, 1000, 100'003}) {
      Random random(3);
      const Floats x = random.floats(count);
      Exec exec;
      const double expected = ref_kernels<double>().sum_squares(exec, count, widen(x).data());
      EXPECT_NEAR(kernels.sum_squares(exec, count, x.data()), expected, 1e-6 * expected) << count;
    }
  });
}

TEST(UnitSquares, AgreeWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_block([&](const UnitBlock& b, Random random) {
      const Floats x = random.floats(count_of(b));
      Floats squares = random.floats(b.units, 0, 1);
      Doubles expected = widen(squares);
      Exec exec;
      ref_kernels<double>().unit_squares(exec, b, widen(x).data(), expected.data());
      kernels.unit_squares(exec, b, x.data(), squares.data());
      expect_close(squares, expected, static_cast<double>(b.outer * b.inner), "squares", 1);
    });
  });
}

TEST(UnitSquares, OfAUnitOfZerosAreExactlyZero) {
  for_each_table([](const Kernels<float>& kernels) {
    const UnitBlock b{6, 3, 20};
    Floats x(count_of(b), 0.5F), squares(3);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i / b.inner % b.units == 1 ? 0.0F : x[i];
    Exec exec;
    kernels.unit_squares(exec, b, x.data(), squares.data());
    EXPECT_EQ(squares, (Floats{30, 0, 30}));
  });
}

TEST(ScaleUnits, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_block([&](const UnitBlock& b, Random random) {
      Floats x = random.floats(count_of(b));
      const Floats factor = random.floats(b.units);
      Doubles expected = widen(x);
      Exec exec;
      ref_kernels<double>().scale_units(exec, b, widen(factor).data(), expected.data());
      kernels.scale_units(exec, b, factor.data(), x.data());
      expect_close(x, expected, 1, "scaled");
    });
  });
}

}  // namespace
}  // namespace kern::test
