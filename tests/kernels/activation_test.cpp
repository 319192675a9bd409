#include <bit>

#include "tests/kernels/support.h"

namespace kern::test {
namespace {

constexpr Activation kAll[] = {Activation::none, Activation::relu, Activation::tanh,
                               Activation::sigmoid, Activation::gelu};
constexpr int kRows[] = {0, 1, 3, 32, 101}, kCols[] = {1, 7, 10, 16, 33, 64, 250};

template <class Body>
void for_each_shape(Body body) {
  unsigned seed = 0;
  for (const int rows : kRows)
    for (const int cols : kCols)
      for (const Activation act : kAll) {
        SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols) +
                     " activation " + std::to_string(static_cast<int>(act)));
        body(rows, cols, act, ++seed);
      }
}

TEST(Activation, ForwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, Activation act, unsigned seed) {
      Random random(seed);
      Exec exec;
      const Floats in = random.floats(std::size_t(rows) * cols, -4, 4), bias = random.floats(cols);
      for (const bool with_bias : {true, false}) {
        Doubles expected = widen(in);
        const Doubles wide_bias = widen(bias);
        ref_kernels<double>().bias_activation(
            exec, rows, cols, with_bias ? wide_bias.data() : nullptr, act, expected.data());
        Floats y = in;
        kernels.bias_activation(exec, rows, cols, with_bias ? bias.data() : nullptr, act, y.data());
        expect_close(y, expected, 1, "y");
      }
    });
  });
}

TEST(Activation, BackwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, Activation act, unsigned seed) {
      Random random(seed);
      Exec exec;
      const Floats y = random.floats(std::size_t(rows) * cols), in = random.floats(y.size());
      Doubles expected = widen(in), expected_bias(cols);
      ref_kernels<double>().activation_backward(exec, rows, cols, act, widen(y).data(),
                                                expected.data(), expected_bias.data());
      Floats dy = in, dbias(cols, 7), alone = in;
      kernels.activation_backward(exec, rows, cols, act, y.data(), dy.data(), dbias.data());
      expect_close(dy, expected, 1, "dy");
      expect_close(dbias, expected_bias, rows, "dbias", 1);
      kernels.activation_backward(exec, rows, cols, act, y.data(), alone.data(), nullptr);
      EXPECT_TRUE(same_bits(dy, alone));
    });
  });
}

TEST(Activation, OfASumAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, Activation act, unsigned seed) {
      Random random(seed);
      Exec exec;
      const Floats a = random.floats(std::size_t(rows) * cols, -4, 4), b = random.floats(a.size());
      Doubles expected(a.size());
      ref_kernels<double>().add_activation(exec, rows, cols, widen(a).data(), widen(b).data(), act,
                                           expected.data());
      Floats y(a.size(), 99);
      kernels.add_activation(exec, rows, cols, a.data(), b.data(), act, y.data());
      expect_close(y, expected, 1, "y");
    });
  });
}

TEST(Activation, AloneGivesTheBitsOfForward) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_shape([&](int rows, int cols, Activation act, unsigned seed) {
      Random random(seed);
      Exec exec;
      const Floats x = random.floats(std::size_t(rows) * cols, -4, 4);
      Floats in_place = x, y(x.size(), 99);
      kernels.bias_activation(exec, rows, cols, nullptr, act, in_place.data());
      kernels.activate(exec, x.size(), act, x.data(), y.data());
      EXPECT_TRUE(same_bits(y, in_place));
    });
  });
}

// Both are products with a share that may be tiny: what counts is the error beside the value.
TEST(Activation, SigmoidAndGeluKeepTheirDigits) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats x;
    for (int i = -5000; i <= 5000; ++i) x.push_back(static_cast<float>(i) * 0.002f);
    for (const Activation act : {Activation::sigmoid, Activation::gelu}) {
      SCOPED_TRACE(act == Activation::gelu ? "gelu" : "sigmoid");
      Floats y(x.size()), dy(x.size(), 1);
      kernels.activate(exec, x.size(), act, x.data(), y.data());
      Doubles wide = widen(x), expected(x.size()), slope(x.size(), 1);
      ref_kernels<double>().activate(exec, x.size(), act, wide.data(), expected.data());
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(y[i], expected[i], 1e-5 * std::abs(expected[i])) << x[i];
      const bool of_input = act == Activation::gelu;
      const int n = static_cast<int>(x.size());
      ref_kernels<double>().activation_backward(
          exec, 1, n, act, of_input ? wide.data() : expected.data(), slope.data(), nullptr);
      kernels.activation_backward(exec, 1, n, act, of_input ? x.data() : y.data(), dy.data(),
                                  nullptr);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(dy[i], slope[i], 1e-6) << x[i];
    }
  });
}

TEST(Activation, FarOutNothingOverflows) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats x{-1e30f, -200, 200, 1e30f}, y(4);
    kernels.activate(exec, 4, Activation::sigmoid, x.data(), y.data());
    EXPECT_NEAR(y[0], 0, 1e-37);
    EXPECT_NEAR(y[1], 0, 1e-37);
    EXPECT_EQ(y[2], 1);
    EXPECT_EQ(y[3], 1);
    kernels.activate(exec, 4, Activation::gelu, x.data(), y.data());
    EXPECT_NEAR(y[1], 0, 1e-35);
    EXPECT_EQ(y[2], 200);
    EXPECT_EQ(y[3], 1e30f);
  });
}

TEST(Activation, KeepsNan) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const Activation act : kAll) {
      Exec exec;
      Floats y(37, std::numeric_limits<float>::quiet_NaN());
      kernels.bias_activation(exec, 1, 37, nullptr, act, y.data());
      for (const float x : y) ASSERT_TRUE(std::isnan(x));
    }
  });
}

/// Distance in representable floats between a float and the float nearest to an exact value.
std::int64_t ulps(float got, double exact) {
  return std::abs(std::int64_t(std::bit_cast<std::int32_t>(got)) -
                  std::bit_cast<std::int32_t>(static_cast<float>(exact)));
}

TEST(Activation, TanhIsWithinFourUlpAndOdd) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    // Every 4,099th float from the smallest normal number to beyond saturation, on both sides.
    Floats x;
    for (std::uint32_t b = 0x00800000; b < 0x41c00000; b += 4099)
      x.push_back(std::bit_cast<float>(b));
    x.push_back(std::numeric_limits<float>::infinity());
    Floats y = x, negative = x;
    for (float& v : negative) v = -v;
    const int n = static_cast<int>(x.size());
    kernels.bias_activation(exec, 1, n, nullptr, Activation::tanh, y.data());
    kernels.bias_activation(exec, 1, n, nullptr, Activation::tanh, negative.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(ulps(y[i], std::tanh(double(x[i]))), 4) << x[i];
      ASSERT_EQ(negative[i], -y[i]) << x[i];
    }
  });
}

TEST(Activation, ValueDoesNotDependOnItsPlace) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Random random(9);
    const Floats in = random.floats(67, -3, 3);
    Floats whole = in;
    kernels.bias_activation(exec, 1, 67, nullptr, Activation::tanh, whole.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
      Floats one{in[i]};
      kernels.bias_activation(exec, 1, 1, nullptr, Activation::tanh, one.data());
      ASSERT_EQ(one[0], whole[i]) << i;
    }
  });
}

}  // namespace
}  // namespace kern::test
