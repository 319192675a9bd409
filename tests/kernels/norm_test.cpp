#include "tests/kernels/support.h"

namespace kern::test {
namespace {

constexpr Activation kAll[] = {Activation::none, Activation::relu, Activation::tanh,
                               Activation::sigmoid, Activation::gelu};
constexpr int kRows[] = {1, 2, 3, 33, 700}, kCols[] = {1, 7, 16, 33, 100};

template <class Body>
void for_each_shape(Body body) {
  unsigned seed = 0;
  for (const int rows : kRows)
    for (const int cols : kCols) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols));
      body(rows, cols, ++seed);
    }
}

/// Operands of batch normalisation in float, the moments being those of x.
struct Operands {
  Floats x, mean, variance, scale, shift, dy, dshift;

  Operands(int rows, int cols, unsigned seed) {
    Random random(seed);
    const auto size = std::size_t(rows) * cols;
    x = random.floats(size, -3, 5);
    scale = random.floats(cols, -2, 2);
    shift = random.floats(cols);
    dy = random.floats(size);
    Doubles m(cols), v(cols), sums(cols);
    Exec exec;
    ref_kernels<double>().column_moments(exec, rows, cols, widen(x).data(), m.data(), v.data());
    for (std::size_t i = 0; i < size; ++i) sums[i % cols] += dy[i];
    mean.assign(m.begin(), m.end());
    variance.assign(v.begin(), v.end());
    dshift.assign(sums.begin(), sums.end());
  }
};

TEST(ColumnMoments, AgreeWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, unsigned seed) {
      const Operands in(rows, cols, seed);
      Exec exec;
      Doubles expected_mean(cols), expected_variance(cols);
      ref_kernels<double>().column_moments(exec, rows, cols, widen(in.x).data(),
                                           expected_mean.data(), expected_variance.data());
      Floats mean(cols, 9), variance(cols, 9);
      kernels.column_moments(exec, rows, cols, in.x.data(), mean.data(), variance.data());
      expect_close(mean, expected_mean, rows, "mean", 1);
      expect_close(variance, expected_variance, rows, "variance", 1);
    });
  });
}

TEST(ColumnMoments, OfAConstantColumnHaveNoVariance) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats x(20 * 33, 0.75F);
    Floats mean(33), variance(33, 9);
    kernels.column_moments(exec, 20, 33, x.data(), mean.data(), variance.data());
    expect_close(mean, Doubles(33, 0.75), 1, "mean");
    for (const float v : variance) EXPECT_LE(v, 1e-12F);
  });
}

TEST(BatchNorm, ForwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, unsigned seed) {
      for (const Activation act : kAll) {
        const Operands in(rows, cols, seed);
        Exec exec;
        const Doubles x = widen(in.x), mean = widen(in.mean), variance = widen(in.variance),
                      scale = widen(in.scale), shift = widen(in.shift);
        Doubles expected(x.size());
        ref_kernels<double>().batch_norm_forward(
            exec, {rows, cols, x.data(), mean.data(), variance.data(), 1e-3, scale.data(),
                   shift.data(), act, expected.data()});
        Floats y(x.size(), 99);
        kernels.batch_norm_forward(
            exec, {rows, cols, in.x.data(), in.mean.data(), in.variance.data(), 1e-3,
                   in.scale.data(), in.shift.data(), act, y.data()});
        expect_close(y, expected, 8, "y", 1);
      }
    });
  });
}

TEST(BatchNorm, BackwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, unsigned seed) {
      const Operands in(rows, cols, seed);
      Exec exec;
      const Doubles x = widen(in.x), mean = widen(in.mean), variance = widen(in.variance),
                    scale = widen(in.scale), dy = widen(in.dy), dshift = widen(in.dshift);
      Doubles expected_dscale(cols), expected_dx(x.size());
      ref_kernels<double>().batch_norm_backward(
          exec, {rows, cols, x.data(), mean.data(), variance.data(), 0.1, scale.data(), dy.data(),
                 dshift.data(), expected_dscale.data(), expected_dx.data()});
      Floats dscale(cols, 99), dx(x.size(), 99), alone(cols, 99);
      BatchNormGradientArgs<float> args{rows,
                                        cols,
                                        in.x.data(),
                                        in.mean.data(),
                                        in.variance.data(),
                                        0.1,
                                        in.scale.data(),
                                        in.dy.data(),
                                        in.dshift.data(),
                                        dscale.data(),
                                        dx.data()};
      kernels.batch_norm_backward(exec, args);
      expect_close(dscale, expected_dscale, rows, "dscale", 2);
      expect_close(dx, expected_dx, 16, "dx", 2);
      args.dscale = alone.data();
      args.dx = nullptr;
      kernels.batch_norm_backward(exec, args);
      EXPECT_TRUE(same_bits(alone, dscale));
    });
  });
}

TEST(BatchNorm, KeepsNan) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats x(37, std::numeric_limits<float>::quiet_NaN()), mean(37), variance(37), y(37);
    const Floats one(37, 1);
    kernels.column_moments(exec, 1, 37, x.data(), mean.data(), variance.data());
    kernels.batch_norm_forward(exec, {1, 37, x.data(), mean.data(), variance.data(), 1e-5,
                                      one.data(), one.data(), Activation::relu, y.data()});
    for (const float v : y) ASSERT_TRUE(std::isnan(v));
  });
}

TEST(LayerNorm, ForwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, unsigned seed) {
      for (const Activation act : kAll) {
        const Operands in(rows, cols, seed);
        Exec exec;
        const Doubles x = widen(in.x), scale = widen(in.scale), shift = widen(in.shift);
        Doubles expected(x.size()), expected_mean(rows), expected_inverse(rows);
        ref_kernels<double>().layer_norm_forward(
            exec, {rows, cols, x.data(), 0.1, scale.data(), shift.data(), act, expected_mean.data(),
                   expected_inverse.data(), expected.data()});
        Floats y(x.size(), 99), mean(rows, 99), inverse(rows, 99);
        kernels.layer_norm_forward(
            exec, {rows, cols, in.x.data(), 0.1, in.scale.data(), in.shift.data(), act, mean.data(),
                   inverse.data(), y.data()});
        expect_close(mean, expected_mean, cols, "mean", 1);
        expect_close(inverse, expected_inverse, cols, "inverse");
        expect_close(y, expected, 16 + cols, "y", 2);
      }
    });
  });
}

TEST(LayerNorm, BackwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, unsigned seed) {
      const Operands in(rows, cols, seed);
      Random random(seed);
      Exec exec;
      const Floats mean = random.floats(rows), inverse = random.floats(rows, 0.5, 2);
      const Doubles x = widen(in.x), wide_mean = widen(mean), wide_inverse = widen(inverse),
                    scale = widen(in.scale), dy = widen(in.dy);
      Doubles expected_dscale(cols), expected_dx(x.size());
      ref_kernels<double>().layer_norm_backward(
          exec, {rows, cols, x.data(), wide_mean.data(), wide_inverse.data(), scale.data(),
                 dy.data(), expected_dscale.data(), expected_dx.data()});
      Floats dscale(cols, 99), dx(x.size(), 99), alone(cols, 99);
      LayerNormGradientArgs<float> args{rows,         cols,           in.x.data(),
                                        mean.data(),  inverse.data(), in.scale.data(),
                                        in.dy.data(), dscale.data(),  dx.data()};
      kernels.layer_norm_backward(exec, args);
      expect_close(dscale, expected_dscale, rows, "dscale", 4);
      expect_close(dx, expected_dx, 16 + cols, "dx", 4);
      args.dscale = alone.data();
      args.dx = nullptr;
      kernels.layer_norm_backward(exec, args);
      EXPECT_TRUE(same_bits(alone, dscale));
    });
  });
}

TEST(Data, ScaledCopyAndBlendAgreeWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t count :
         {std::size_t(0), std::size_t(1), std::size_t(16), std::size_t(100)}) {
      Random random(7);
      Exec exec;
      const Floats src = random.floats(count), old = random.floats(count);
      Doubles expected(count), expected_blend = widen(old);
      ref_kernels<double>().scaled_copy(exec, count, 0.375, widen(src).data(), expected.data());
      ref_kernels<double>().blend(exec, count, 0.125, widen(src).data(), expected_blend.data());
      Floats copy(count, 99), blended = old;
      kernels.scaled_copy(exec, count, 0.375F, src.data(), copy.data());
      kernels.blend(exec, count, 0.125F, src.data(), blended.data());
      expect_close(copy, expected, 1, "scaled_copy");
      expect_close(blended, expected_blend, 1, "blend");
    }
  });
}

}  // namespace
}  // namespace kern::test
