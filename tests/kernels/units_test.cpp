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

/// An axis as a test drew it.
struct DrawnAxis {
  std::vector<std::int32_t> source;
  std::vector<double> factor;
  AxisMap map;
};

DrawnAxis drawn_axis(Random& random, int before, int length, bool scaled) {
  DrawnAxis out;
  for (int i = 0; i < length; ++i) {
    out.source.push_back(before == 0 ? -1 : random.below(before + 1) - 1);
    if (scaled) out.factor.push_back(random.below(3) == 0 ? 1.0 : 1.0 / (1 + random.below(7)));
  }
  out.map = {out.source.data(), scaled ? out.factor.data() : nullptr, length, before};
  return out;
}

/// Calls body(arguments, numbers of x, numbers of y) for tensors of one to four axes, of which some
/// stay as they are.
template <class Body>
void for_each_regrouping(Body body) {
  unsigned seed = 0;
  for (const int axes : {1, 2, 3, 4}) {
    for (int round = 0; round < 12; ++round) {
      Random random(++seed);
      SCOPED_TRACE(std::to_string(axes) + " axes, round " + std::to_string(round));
      RegroupArgs<float> args{.axes = axes};
      std::vector<DrawnAxis> drawn;
      std::size_t before = 1, after = 1;
      for (int d = 0; d < axes; ++d) {
        const int old = 1 + random.below(round == 11 ? 70 / axes : 9);
        const bool whole = random.below(2) == 0;
        const int length = whole ? old : random.below(round == 11 ? 80 / axes : 12);
        drawn.push_back(drawn_axis(random, old, length, random.below(2) == 0));
        auto& axis = args.axis[static_cast<std::size_t>(d)];
        const int left = round % 3 == 0 ? 1 + random.below(old) : old;
        axis = whole ? AxisMap{nullptr, nullptr, left, old} : drawn.back().map;
        before *= static_cast<std::size_t>(old);
        after *= static_cast<std::size_t>(axis.length);
      }
      // The lists moved along with the vector that holds them, and stayed where they were.
      body(args, before, after, random);
    }
  }
}

TEST(Regroup, HasTheBitsOfTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_regrouping(
        [&](RegroupArgs<float> args, std::size_t before, std::size_t after, Random random) {
          const Floats x = random.floats(before);
          Floats y(after, 7), expected(after, 9);
          Exec exec;
          args.x = x.data();
          args.y = expected.data();
          ref_kernels<float>().regroup(exec, args);
          args.y = y.data();
          kernels.regroup(exec, args);
          EXPECT_TRUE(same_bits(y, expected));
        });
  });
}

TEST(Regroup, TakesEntriesAsListedAndRoundsOnce) {
  const std::vector<std::int32_t> rows{2, -1, 0}, columns{1, 1};
  const std::vector<double> row_factor{1, 1, 1.0 / 3}, column_factor{3, 0.1};
  const Floats x{1, 2, 3, 4, 5, 6};
  for_each_table([&](const Kernels<float>& kernels) {
    Floats y(6, -1);
    Exec exec;
    kernels.regroup(exec, {.axes = 2,
                           .axis = {{{rows.data(), row_factor.data(), 3, 3},
                                     {columns.data(), column_factor.data(), 2, 2}}},
                           .x = x.data(),
                           .y = y.data()});
    EXPECT_EQ(y, (Floats{18, 6 * 0.1, 0, 0, 2, static_cast<float>(2.0 * (1.0 / 3 * 0.1))}));
  });
}

TEST(SetUnits, ChangesTheListedUnitsAlone) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_block([&](const UnitBlock& b, Random random) {
      std::vector<std::uint32_t> units;
      for (std::size_t u = b.units; u-- > 0;) {
        if (random.below(2) == 0) units.push_back(static_cast<std::uint32_t>(u));
      }
      const Floats values = random.floats(b.outer * units.size() * b.inner);
      Floats x = random.floats(count_of(b)), expected = x;
      Exec exec;
      const auto count = static_cast<int>(units.size());
      ref_kernels<float>().set_units(exec, b, count, units.data(), values.data(), expected.data());
      kernels.set_units(exec, b, count, units.data(), values.data(), x.data());
      EXPECT_TRUE(same_bits(x, expected));
      for (std::size_t k = 0; k < units.size() && !values.empty(); ++k)
        EXPECT_EQ(x[units[k] * b.inner], values[k * b.inner]);
    });
  });
}

}  // namespace
}  // namespace kern::test
