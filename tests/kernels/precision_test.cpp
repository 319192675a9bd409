#include "tests/kernels/support.h"

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

}  // namespace
}  // namespace kern::test
