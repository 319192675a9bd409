#include <numeric>

#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

/// Random operands of one convolution.
struct Operands {
  Operands(const Window& g, unsigned seed) {
    Random random(seed);
    x = random.floats(input_size(g));
    w = random.floats(weights_size(g));
    bias = random.floats(std::size_t(g.out_c));
    dy = random.floats(output_size(g));
  }
  Floats x, w, bias, dy;
};

template <class Body>
void for_each_case(Body body) {
  unsigned seed = 0;
  for (const Window& g : conv_windows()) {
    SCOPED_TRACE(describe(g));
    body(g, Operands(g, ++seed));
  }
}

TEST(Conv, ForwardAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_case([&](const Window& g, const Operands& in) {
      Scratch scratch(kernels.conv_scratch(g));
      for (const Activation act :
           {Activation::none, Activation::relu, Activation::tanh, Activation::gelu})
        for (const bool with_bias : {true, false}) {
          const Doubles bias = widen(in.bias);
          Doubles expected(output_size(g));
          ref_kernels<double>().conv_forward(scratch.exec(), g, widen(in.x).data(),
                                             widen(in.w).data(), with_bias ? bias.data() : nullptr,
                                             act, expected.data());
          Floats y(expected.size(), 99), again(y);
          const float* b = with_bias ? in.bias.data() : nullptr;
          kernels.conv_forward(scratch.exec(), g, in.x.data(), in.w.data(), b, act, y.data());
          kernels.conv_forward(scratch.exec(), g, in.x.data(), in.w.data(), b, act, again.data());
          // tanh squeezes the scale of the sum whose rounding it passes on.
          const double terms = g.kernel_h * g.kernel_w * g.in_c;
          expect_close(y, expected, act == Activation::tanh ? terms * terms : terms, "y");
          EXPECT_TRUE(same_bits(y, again));
        }
    });
  });
}

TEST(Conv, BackwardDataAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_case([&](const Window& g, const Operands& in) {
      Scratch scratch(kernels.conv_scratch(g));
      Doubles expected(input_size(g));
      ref_kernels<double>().conv_backward_data(scratch.exec(), g, widen(in.dy).data(),
                                               widen(in.w).data(), expected.data());
      Floats dx(expected.size(), 99), again(dx);
      kernels.conv_backward_data(scratch.exec(), g, in.dy.data(), in.w.data(), dx.data());
      kernels.conv_backward_data(scratch.exec(), g, in.dy.data(), in.w.data(), again.data());
      expect_close(dx, expected, g.kernel_h * g.kernel_w * g.out_c, "dx");
      EXPECT_TRUE(same_bits(dx, again));
    });
  });
}

TEST(Conv, BackwardWeightsAgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_case([&](const Window& g, const Operands& in) {
      Scratch scratch(kernels.conv_scratch(g));
      Doubles expected(weights_size(g));
      ref_kernels<double>().conv_backward_weights(scratch.exec(), g, widen(in.x).data(),
                                                  widen(in.dy).data(), expected.data());
      Floats dw(expected.size(), 99), again(dw);
      kernels.conv_backward_weights(scratch.exec(), g, in.x.data(), in.dy.data(), dw.data());
      kernels.conv_backward_weights(scratch.exec(), g, in.x.data(), in.dy.data(), again.data());
      expect_close(dw, expected, double(g.batch) * g.out_h * g.out_w, "dw");
      EXPECT_TRUE(same_bits(dw, again));
    });
  });
}

// More images than a piece of products, or of Winograd's points, holds: device code alone cuts.
TEST(Conv, PiecesAgreeWithTheOracle) {
  prepare_thread();
  const Kernels<float>& kernels = device().kernels();
  for (const Window& g :
       {window(7500, 3, 3, 32, 32, 3, 3, 1, 1), window(12, 60, 60, 6, 2, 11, 11, 1, 5)}) {
    SCOPED_TRACE(describe(g));
    const Operands in(g, 5);
    Scratch scratch(kernels.conv_scratch(g));
    ASSERT_LT(kernels.conv_scratch(g), std::size_t{72} << 20);
    Doubles y(output_size(g)), dx(input_size(g)), dw(weights_size(g));
    const Doubles x = widen(in.x), w = widen(in.w), dy = widen(in.dy);
    const Kernels<double>& ref = ref_kernels<double>();
    ref.conv_forward(scratch.exec(), g, x.data(), w.data(), nullptr, Activation::none, y.data());
    ref.conv_backward_data(scratch.exec(), g, dy.data(), w.data(), dx.data());
    ref.conv_backward_weights(scratch.exec(), g, x.data(), dy.data(), dw.data());
    Floats got_y(y.size(), 99), got_dx(dx.size(), 99), got_dw(dw.size(), 99);
    kernels.conv_forward(scratch.exec(), g, in.x.data(), in.w.data(), nullptr, Activation::none,
                         got_y.data());
    kernels.conv_backward_data(scratch.exec(), g, in.dy.data(), in.w.data(), got_dx.data());
    kernels.conv_backward_weights(scratch.exec(), g, in.x.data(), in.dy.data(), got_dw.data());
    expect_close(got_y, y, g.kernel_h * g.kernel_w * g.in_c, "y");
    expect_close(got_dx, dx, g.kernel_h * g.kernel_w * g.out_c, "dx");
    expect_close(got_dw, dw, double(g.batch) * g.out_h * g.out_w, "dw");
  }
}

double dot(const Doubles& a, const Doubles& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Convolution is linear in x and in w, so its gradients are its adjoints: <conv(x, w), dy> = <x,
// dx> = <w, dw>.
TEST(Conv, ReferenceGradientsAreAdjoints) {
  for_each_case([&](const Window& g, const Operands& in) {
    const Kernels<double>& ref = ref_kernels<double>();
    Exec exec;
    const Doubles x = widen(in.x), w = widen(in.w), dy = widen(in.dy);
    Doubles y(output_size(g)), dx(x.size()), dw(w.size());
    ref.conv_forward(exec, g, x.data(), w.data(), nullptr, Activation::none, y.data());
    ref.conv_backward_data(exec, g, dy.data(), w.data(), dx.data());
    ref.conv_backward_weights(exec, g, x.data(), dy.data(), dw.data());
    const double forward = dot(y, dy), scale = 1e-12 * (1 + double(y.size()));
    EXPECT_NEAR(forward, dot(x, dx), scale);
    EXPECT_NEAR(forward, dot(w, dw), scale);
  });
}

TEST(Conv, ReferenceConvolvesByHand) {
  // One 3x3 image with values 1..9, a 2x2 kernel {1, 10, 100, 1000}, bias 0.5.
  const Window g = window(1, 3, 3, 1, 1, 2, 2, 1, 0);
  const Doubles x{1, 2, 3, 4, 5, 6, 7, 8, 9}, w{1, 10, 100, 1000}, bias{0.5};
  Doubles y(4);
  Exec exec;
  ref_kernels<double>().conv_forward(exec, g, x.data(), w.data(), bias.data(), Activation::none,
                                     y.data());
  EXPECT_EQ(y, (Doubles{5421.5, 6532.5, 8754.5, 9865.5}));
}

void expect_relu_keeps_nan(const Kernels<float>& kernels) {
  for (const Window& g :
       {window(1, 6, 6, 4, 16, 3, 3, 1, 0), window(1, 6, 6, 32, 48, 3, 3, 1, 1)}) {
    Operands in(g, 1);
    in.bias[3] = std::numeric_limits<float>::quiet_NaN();
    Scratch scratch(kernels.conv_scratch(g));
    Floats y(output_size(g));
    kernels.conv_forward(scratch.exec(), g, in.x.data(), in.w.data(), in.bias.data(),
                         Activation::relu, y.data());
    for (std::size_t i = 3; i < y.size(); i += std::size_t(g.out_c))
      ASSERT_TRUE(std::isnan(y[i])) << i;
  }
}

TEST(Conv, ReluKeepsNan) {
  for_each_table(expect_relu_keeps_nan);
  for (const Precision precision : precisions()) expect_relu_keeps_nan(device().kernels(precision));
}

}  // namespace
}  // namespace kern::test
