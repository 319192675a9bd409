#include "tests/kernels/support.h"

namespace kern::test {
namespace {

struct Result {
  Floats y;
  std::vector<std::uint8_t> kept;
};

Result run(const Kernels<float>& kernels, DropoutArgs<float> args, const Floats& x) {
  Exec exec;
  Result result{Floats(x.size(), 99), std::vector<std::uint8_t>(x.size(), 99)};
  args.x = x.data();
  args.y = result.y.data();
  args.kept = result.kept.data();
  kernels.dropout_forward(exec, args);
  return result;
}

TEST(Dropout, EqualsTheOracleBitForBit) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const int units : {1, 7, 10, 16, 17, 64, 65, 100, 300})
      for (const int positions : {1, 3})
        for (const double rate : {0.0, 0.25, 0.9}) {
          SCOPED_TRACE("units " + std::to_string(units) + " rate " + std::to_string(rate));
          Random random(++seed);
          const std::vector<std::uint32_t> ids{4'000'000'000U, 3, 17};
          const Floats x = random.floats(std::size_t(3) * positions * units);
          const DropoutArgs<float> args{.rows = 3,
                                        .positions = positions,
                                        .units = units,
                                        .key = 0x0123456789abcdefULL,
                                        .step = 77,
                                        .row_ids = ids.data(),
                                        .rate = rate};
          const Result expected = run(ref_kernels<float>(), args, x), got = run(kernels, args, x);
          ASSERT_EQ(got.kept, expected.kept);
          ASSERT_TRUE(same_bits(got.y, expected.y));
          Exec exec;
          Floats dx(x.size(), 99), expected_dx(x.size());
          kernels.dropout_backward(exec, x.size(), rate, got.kept.data(), x.data(), dx.data());
          ref_kernels<float>().dropout_backward(exec, x.size(), rate, got.kept.data(), x.data(),
                                                expected_dx.data());
          ASSERT_TRUE(same_bits(dx, expected_dx));
        }
  });
}

TEST(Dropout, UnitsAreKnownByTheirIds) {
  for_each_table([](const Kernels<float>& kernels) {
    Random random(3);
    std::vector<std::uint32_t> ids(77);
    for (auto& id : ids) id = static_cast<std::uint32_t>(random.below(500));
    const Floats x = random.floats(std::size_t(2) * 3 * 500);
    DropoutArgs<float> args{.rows = 2, .positions = 3, .units = 500, .key = 5, .rate = 0.5};
    const Result all = run(kernels, args, Floats(x.size(), 1));
    args.units = 77;
    args.unit_ids = ids.data();
    const Floats some(std::size_t(2) * 3 * 77, 1);
    const Result chosen = run(kernels, args, some);
    ASSERT_EQ(chosen.kept, run(ref_kernels<float>(), args, some).kept);
    for (std::size_t strip = 0; strip < 6; ++strip)
      for (std::size_t u = 0; u < 77; ++u)
        ASSERT_EQ(chosen.kept[strip * 77 + u], all.kept[strip * 500 + ids[u]]);
  });
}

TEST(Dropout, AUnitsMaskDoesNotDependOnTheUnitsBesideIt) {
  for_each_table([](const Kernels<float>& kernels) {
    const Floats x(2 * 200, 1);
    DropoutArgs<float> args{.rows = 2, .units = 200, .key = 5, .step = 9, .rate = 0.5};
    const Result wide = run(kernels, args, x);
    for (const int units : {1, 40, 130}) {
      args.units = units;
      const Result narrow = run(kernels, args, Floats(std::size_t(2) * units, 1));
      for (int row = 0; row < 2; ++row)
        for (int u = 0; u < units; ++u)
          ASSERT_EQ(narrow.kept[std::size_t(row) * units + u],
                    wide.kept[std::size_t(row) * 200 + u]);
    }
  });
}

TEST(Dropout, DropsItsShareAndEveryPartOfTheCounterMatters) {
  const int units = 4000;
  DropoutArgs<float> args{.rows = 10, .units = units, .key = 5, .step = 9, .rate = 0.3};
  const Floats x(std::size_t(10) * units, 1);
  const Result first = run(ref_kernels<float>(), args, x);
  const auto kept = std::count(first.kept.begin(), first.kept.end(), 1);
  EXPECT_NEAR(double(kept) / double(x.size()), 0.7, 0.01);
  double sum = 0;
  for (const float v : first.y) sum += double(v);
  EXPECT_NEAR(sum / double(x.size()), 1, 0.015);
  args.step = 10;
  EXPECT_NE(run(ref_kernels<float>(), args, x).kept, first.kept);
  args.step = 9;
  args.key = 6;
  EXPECT_NE(run(ref_kernels<float>(), args, x).kept, first.kept);
  const auto row = [&](std::size_t r) {
    return std::vector<std::uint8_t>(first.kept.begin() + std::ptrdiff_t(r * units),
                                     first.kept.begin() + std::ptrdiff_t((r + 1) * units));
  };
  EXPECT_NE(row(0), row(1));
}

}  // namespace
}  // namespace kern::test
