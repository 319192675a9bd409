#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

std::vector<Window> cases() {
  std::vector<Window> all;
  for (const int channels : {1, 3, 8, 16, 37})
    for (const int batch : {0, 2})
      for (const auto& [size, kernel, stride, pad] : {std::array{4, 2, 2, 0},
                                                      {6, 3, 3, 0},
                                                      {7, 2, 2, 0},
                                                      {7, 3, 2, 1},
                                                      {5, 3, 1, 0},
                                                      {9, 3, 3, 0},
                                                      {1, 1, 1, 0},
                                                      {16, 15, 1, 7}})
        all.push_back(window(batch, size, size + 2 * (kernel - 1), channels, channels, kernel,
                             kernel, stride, pad));
  return all;
}

template <class Body>
void for_each_case(Body body) {
  unsigned seed = 0;
  for (const Window& g : cases()) {
    SCOPED_TRACE(describe(g));
    body(g, ++seed);
  }
}

TEST(MaxPool, AgreesWithTheOracleInBothDirections) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_case([&](const Window& g, unsigned seed) {
      Random random(seed);
      Exec exec;
      Floats x = random.floats(input_size(g));
      // Few distinct values, so that ties are common.
      for (float& v : x) v = std::round(4 * v);
      Doubles expected(output_size(g));
      std::vector<std::uint8_t> expected_where(expected.size()), where(expected.size());
      ref_kernels<double>().maxpool_forward(exec, g, widen(x).data(), expected.data(),
                                            expected_where.data());
      Floats y(expected.size(), 99);
      kernels.maxpool_forward(exec, g, x.data(), y.data(), where.data());
      ASSERT_EQ(widen(y), expected);
      ASSERT_EQ(where, expected_where);

      const Floats dy = random.floats(output_size(g));
      Doubles expected_dx(input_size(g));
      ref_kernels<double>().maxpool_backward(exec, g, widen(dy).data(), where.data(),
                                             expected_dx.data());
      Floats dx(expected_dx.size(), 99);
      kernels.maxpool_backward(exec, g, dy.data(), where.data(), dx.data());
      expect_close(dx, expected_dx, g.kernel_h * g.kernel_w, "dx");
    });
  });
}

TEST(AvgPool, AgreesWithTheOracleInBothDirections) {
  for_each_table([](const Kernels<float>& kernels) {
    for_each_case([&](const Window& g, unsigned seed) {
      if (g.pad_h > 0) return;
      Random random(seed);
      Exec exec;
      const Floats x = random.floats(input_size(g)), dy = random.floats(output_size(g));
      Doubles expected(output_size(g)), expected_dx(input_size(g));
      ref_kernels<double>().avgpool_forward(exec, g, widen(x).data(), expected.data());
      ref_kernels<double>().avgpool_backward(exec, g, widen(dy).data(), expected_dx.data());
      Floats y(expected.size(), 99), dx(expected_dx.size(), 99);
      kernels.avgpool_forward(exec, g, x.data(), y.data());
      kernels.avgpool_backward(exec, g, dy.data(), dx.data());
      expect_close(y, expected, g.kernel_h * g.kernel_w, "y", 1);
      expect_close(dx, expected_dx, g.kernel_h * g.kernel_w, "dx", 1);
    });
  });
}

TEST(MaxPool, NanWins) {
  for_each_table([](const Kernels<float>& kernels) {
    const Window g = window(1, 2, 2, 20, 20, 2, 2, 2, 0);
    for (std::size_t at = 0; at < 4; ++at) {
      Exec exec;
      Floats x(input_size(g), 1), y(20);
      std::vector<std::uint8_t> where(20);
      for (std::size_t c = 0; c < 20; ++c) x[at * 20 + c] = std::numeric_limits<float>::quiet_NaN();
      kernels.maxpool_forward(exec, g, x.data(), y.data(), where.data());
      for (std::size_t c = 0; c < 20; ++c) {
        ASSERT_TRUE(std::isnan(y[c]));
        ASSERT_EQ(where[c], at);
      }
    }
  });
}

TEST(MaxPool, ReferencePoolsByHand) {
  const Window g = window(1, 4, 4, 1, 1, 2, 2, 2, 0);
  const Doubles x{1, 5, 2, 2, 3, 4, 2, 2, -1, -2, 0, 8, -3, -4, 9, 7};
  Doubles y(4), dx(16);
  std::vector<std::uint8_t> where(4);
  Exec exec;
  ref_kernels<double>().maxpool_forward(exec, g, x.data(), y.data(), where.data());
  EXPECT_EQ(y, (Doubles{5, 2, -1, 9}));
  EXPECT_EQ(where, (std::vector<std::uint8_t>{1, 0, 0, 2}));
  const Doubles dy{10, 20, 30, 40};
  ref_kernels<double>().maxpool_backward(exec, g, dy.data(), where.data(), dx.data());
  EXPECT_EQ(dx, (Doubles{0, 10, 20, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 40, 0}));
}

}  // namespace
}  // namespace kern::test
