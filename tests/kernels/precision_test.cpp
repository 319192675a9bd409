#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

TEST(Precision, NamesReadBack) {
  for (const Precision precision : precisions())
    EXPECT_EQ(precision_from_name(precision_name(precision)), precision);
  EXPECT_EQ(precision_from_name("f16"), std::nullopt);
}

TEST(Precision, EveryProcessorHasF32AndNoneTf32) {
  EXPECT_EQ(cpu_lacks(Precision::f32), "");
  EXPECT_NE(cpu_lacks(Precision::tf32), "");
  EXPECT_EQ(cpu_lacks(Precision::bf16).empty(), cpu::has_bf16());
}

TEST(Precision, TablesSayWhichTheyHave) {
  EXPECT_EQ(cpu_kernels().precision, Precision::f32);
  for (const Precision precision : precisions())
    EXPECT_EQ(ref_kernels<float>(precision).precision, precision);
  if (!cpu::has_bf16()) return;
  EXPECT_EQ(cpu_kernels(Precision::bf16).precision, Precision::bf16);
}

/// 1 times x: what the product rounds x to, as either operand.
std::pair<float, float> rounded(const Kernels<float>& kernels, float x) {
  const float one = 1;
  float left = 0, right = 0;
  Exec exec;
  GemmArgs<float> g{.m = 1, .n = 1, .k = 1, .a = &x, .lda = 1, .b = &one, .ldb = 1, .ldc = 1};
  g.c = &left;
  kernels.gemm(exec, g);
  std::swap(g.a, g.b);
  g.c = &right;
  kernels.gemm(exec, g);
  return {left, right};
}

struct Rounding {
  float x, to;
};

void expect_rounds(const Kernels<float>& kernels, std::span<const Rounding> cases) {
  for (const auto& [x, to] : cases) {
    const auto [left, right] = rounded(kernels, x);
    EXPECT_EQ(left, to) << x;
    EXPECT_EQ(right, to) << x;
    const auto [below, beneath] = rounded(kernels, -x);
    EXPECT_EQ(below, -to) << -x;
    EXPECT_EQ(beneath, -to) << -x;
  }
}

TEST(Precision, Bf16KeepsEightBitsAndTiesGoToEven) {
  const float infinite = std::numeric_limits<float>::infinity();
  const Rounding cases[] = {{0, 0},
                            {1, 1},
                            {0x1.02p0f, 0x1.02p0f},
                            {0x1.01p0f, 1},
                            {0x1.010002p0f, 0x1.02p0f},
                            {0x1.03p0f, 0x1.04p0f},
                            {0x1.0002p0f, 1},
                            {0x1.ffp5f, 0x1p6f},
                            {0x1.fffffep127f, infinite},
                            {infinite, infinite}};
  prepare_thread();
  expect_rounds(ref_kernels<float>(Precision::bf16), cases);
  if (cpu::has_bf16()) expect_rounds(cpu_kernels(Precision::bf16), cases);
}

TEST(Precision, Tf32KeepsElevenBits) {
  const Rounding cases[] = {
      {1, 1}, {0x1.004p0f, 0x1.004p0f}, {0x1.002p0f, 1}, {0x1.006p0f, 0x1.008p0f}};
  expect_rounds(ref_kernels<float>(Precision::tf32), cases);
}

TEST(Precision, ANanStaysOne) {
  for (const Kernels<float>* kernels :
       {&ref_kernels<float>(Precision::bf16), &ref_kernels<float>(Precision::tf32),
        cpu::has_bf16() ? &cpu_kernels(Precision::bf16) : nullptr}) {
    if (kernels == nullptr) continue;
    EXPECT_TRUE(std::isnan(rounded(*kernels, std::numeric_limits<float>::quiet_NaN()).first));
  }
}

/// Twice the step from 1 to the next number that an operand may become: a product of two that were
/// each moved by at most one step.
double unit_of(Precision precision) {
  switch (precision) {
    case Precision::f32:
      break;
    case Precision::bf16:
      return 0x1p-6;
    case Precision::tf32:
      return 0x1p-9;
  }
  return 0;
}

/// |got - expected| is at most what rounding the operands, whichever way, and adding up in float
/// allow; `magnitudes` are the same sums of absolute values.
void expect_within(Precision precision, double terms, const Floats& got, const Doubles& expected,
                   const Doubles& magnitudes) {
  const double share = 1.01 * unit_of(precision) + 2 * std::sqrt(terms) * 0x1p-24 + 0x1p-23;
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(static_cast<double>(got[i]) - expected[i]), share * magnitudes[i]) << i;
}

Doubles sizes(const Doubles& values) {
  Doubles out = values;
  for (double& v : out) v = std::abs(v);
  return out;
}

TEST(PrecisionOfDevices, TablesSayWhichTheyHave) {
  for (const Precision precision : precisions())
    EXPECT_EQ(device().kernels(precision).precision, precision);
}

TEST(PrecisionOfDevices, ProductsRoundTheirOperands) {
  constexpr int kM = 33, kN = 40, kK = 300;
  Random random(7);
  const Floats a = random.floats(kM * kK), b = random.floats(kK * kN);
  const auto multiply = [](auto& kernels, const auto& left, const auto& right, auto& out) {
    Exec exec;
    kernels.gemm(exec, {.m = kM,
                        .n = kN,
                        .k = kK,
                        .a = left.data(),
                        .lda = kK,
                        .b = right.data(),
                        .ldb = kN,
                        .c = out.data(),
                        .ldc = kN});
  };
  Doubles expected(kM * kN), magnitudes(kM * kN);
  multiply(ref_kernels<double>(), widen(a), widen(b), expected);
  multiply(ref_kernels<double>(), sizes(widen(a)), sizes(widen(b)), magnitudes);
  for (const Precision precision : precisions()) {
    SCOPED_TRACE(precision_name(precision));
    Floats got(kM * kN), again(kM * kN), rounded(kM * kN);
    multiply(device().kernels(precision), a, b, got);
    multiply(device().kernels(precision), a, b, again);
    EXPECT_TRUE(same_bits(got, again));
    expect_within(precision, kK, got, expected, magnitudes);
    multiply(ref_kernels<float>(precision), a, b, rounded);
    if (!on_gpu()) {
      EXPECT_TRUE(same_bits(got, rounded));
    }
  }
}

/// All that the three convolutions of a geometry give, one behind the other; forwards alone, and
/// with a bias and relu.
template <class T>
std::vector<T> convolved(const Kernels<T>& kernels, const Window& g, const std::vector<T>& x,
                         const std::vector<T>& w, const std::vector<T>& bias,
                         const std::vector<T>& dy) {
  Scratch scratch(kernels.conv_scratch(g));
  std::vector<T> y = dy, positive = dy, dx = x, dw = w;
  kernels.conv_forward(scratch.exec(), g, x.data(), w.data(), nullptr, Activation::none, y.data());
  kernels.conv_forward(scratch.exec(), g, x.data(), w.data(), bias.data(), Activation::relu,
                       positive.data());
  kernels.conv_backward_data(scratch.exec(), g, dy.data(), w.data(), dx.data());
  kernels.conv_backward_weights(scratch.exec(), g, x.data(), dy.data(), dw.data());
  y.insert(y.end(), positive.begin(), positive.end());
  y.insert(y.end(), dx.begin(), dx.end());
  y.insert(y.end(), dw.begin(), dw.end());
  return y;
}

TEST(PrecisionOfDevices, ConvolutionsRoundTheirOperands) {
  unsigned seed = 8;
  for (const Window& g : conv_windows()) {
    SCOPED_TRACE(describe(g));
    Random random(++seed);
    const Floats x = random.floats(input_size(g)), w = random.floats(weights_size(g)),
                 bias = random.floats(std::size_t(g.out_c)), dy = random.floats(output_size(g));
    const Doubles wide_x = widen(x), wide_w = widen(w), wide_bias = widen(bias),
                  wide_dy = widen(dy);
    const Doubles expected =
        convolved(ref_kernels<double>(), g, wide_x, wide_w, wide_bias, wide_dy);
    const Doubles magnitudes = convolved(ref_kernels<double>(), g, sizes(wide_x), sizes(wide_w),
                                         sizes(wide_bias), sizes(wide_dy));
    const double terms =
        std::max(g.batch * g.out_h * g.out_w, g.kernel_h * g.kernel_w * std::max(g.in_c, g.out_c));
    const Floats whole = convolved(device().kernels(), g, x, w, bias, dy);
    for (const Precision precision : {Precision::bf16, Precision::tf32}) {
      SCOPED_TRACE(precision_name(precision));
      const Floats got = convolved(device().kernels(precision), g, x, w, bias, dy);
      ASSERT_EQ(got.size(), expected.size());
      expect_within(precision, terms, got, expected, magnitudes);
      EXPECT_TRUE(same_bits(got, convolved(device().kernels(precision), g, x, w, bias, dy)));
      if (!on_gpu()) {
        EXPECT_EQ(same_bits(got, whole), g.batch == 0);
      }
    }
  }
}

}  // namespace
}  // namespace kern::test
