#include "tests/kernels/support.h"

namespace kern::test {
namespace {

TEST(Gather, AgreesWithTheOracleForBytesAndFloats) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const int cols : {1, 4, 13, 16, 64, 100, 784})
      for (const int count : {0, 1, 7, 64}) {
        SCOPED_TRACE("cols " + std::to_string(cols) + " count " + std::to_string(count));
        Random random(++seed);
        Exec exec;
        const int table_rows = 50;
        const Floats f32 = random.floats(std::size_t(table_rows) * cols);
        std::vector<std::uint8_t> u8(f32.size());
        for (auto& x : u8) x = static_cast<std::uint8_t>(random.below(256));
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
        for (auto& r : rows) r = static_cast<std::uint32_t>(random.below(table_rows));
        if (count > 1) rows.back() = table_rows - 1;
        const Floats shift = random.floats(cols), scale = random.floats(cols);
        for (const bool bytes : {true, false}) {
          const auto run = [&]<class T>(const Kernels<T>& k, std::vector<T>& out) {
            k.gather(exec, {.u8 = bytes ? u8.data() : nullptr,
                            .f32 = bytes ? nullptr : f32.data(),
                            .rows = rows.data(),
                            .count = count,
                            .cols = cols,
                            .shift = shift.data(),
                            .scale = scale.data(),
                            .out = out.data()});
          };
          Doubles expected(std::size_t(count) * cols);
          Floats out(expected.size(), 99);
          run(ref_kernels<double>(), expected);
          run(kernels, out);
          expect_close(out, expected, 1, bytes ? "bytes" : "floats");
        }
      }
  });
}

TEST(Accumulate, AddsElementwise) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t count : {0, 1, 16, 31, 1000}) {
      Random random(4);
      Exec exec;
      const Floats src = random.floats(count), before = random.floats(count);
      Floats dst = before;
      kernels.accumulate(exec, count, src.data(), dst.data());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(dst[i], before[i] + src[i]) << i;
    }
  });
}

}  // namespace
}  // namespace kern::test
