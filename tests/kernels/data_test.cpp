#include <array>

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

/// Every kind of move, beyond the edge of the image too.
std::vector<ImageMove> moves_of(int count, Random& random) {
  std::vector<ImageMove> moves(static_cast<std::size_t>(count));
  for (ImageMove& m : moves)
    m = {random.below(13) - 6, random.below(13) - 6, random.below(2) == 1, random.below(2) == 1};
  if (count > 0) moves.front() = {};
  return moves;
}

TEST(GatherImages, AgreesWithTheOracleForBytesAndFloats) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const auto& [height, width, channels] :
         {std::array{1, 1, 1}, std::array{5, 4, 1}, std::array{28, 28, 1}, std::array{9, 33, 3}}) {
      Random random(++seed);
      Exec exec;
      const int table_rows = 6, count = 20, cols = height * width * channels;
      const Floats f32 = random.floats(std::size_t(table_rows) * cols);
      std::vector<std::uint8_t> u8(f32.size());
      for (auto& x : u8) x = static_cast<std::uint8_t>(random.below(256));
      std::vector<std::uint32_t> rows(count);
      for (auto& r : rows) r = static_cast<std::uint32_t>(random.below(table_rows));
      rows.back() = table_rows - 1;
      const Floats shift = random.floats(cols), scale = random.floats(cols);
      const auto moves = moves_of(count, random);
      for (const bool bytes : {true, false}) {
        const auto run = [&]<class T>(const Kernels<T>& k, std::vector<T>& out, bool moved) {
          const GatherArgs<T> args{.u8 = bytes ? u8.data() : nullptr,
                                   .f32 = bytes ? nullptr : f32.data(),
                                   .rows = rows.data(),
                                   .count = moved ? count : 1,
                                   .cols = cols,
                                   .shift = shift.data(),
                                   .scale = scale.data(),
                                   .out = out.data()};
          if (moved)
            k.gather_images(exec, {args, height, width, channels, moves.data()});
          else
            k.gather(exec, args);
        };
        Doubles expected(std::size_t(count) * cols);
        Floats out(expected.size(), 99), still(cols);
        run(ref_kernels<double>(), expected, true);
        run(kernels, out, true);
        expect_close(out, expected, 1, bytes ? "bytes" : "floats");
        run(kernels, still, false);
        EXPECT_TRUE(same_bits(still, Floats(out.begin(), out.begin() + cols)));
      }
    }
  });
}

TEST(GatherImages, ReferenceMovesByHand) {
  // One 2x3 image, one channel, mirrored and then moved down by one and left by one.
  const Floats image{1, 2, 3, 4, 5, 6}, shift(6), scale(6, 1);
  const std::uint32_t row = 0;
  const ImageMove move{.down = 1, .right = -1, .mirror = true};
  Floats out(6, 99);
  Exec exec;
  const GatherArgs<float> args{.f32 = image.data(),
                               .rows = &row,
                               .count = 1,
                               .cols = 6,
                               .shift = shift.data(),
                               .scale = scale.data(),
                               .out = out.data()};
  ref_kernels<float>().gather_images(exec, {args, 2, 3, 1, &move});
  EXPECT_EQ(out, (Floats{0, 0, 0, 2, 1, 0}));
}

TEST(CopyRows, TakesWordsAsTheyAre) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t words : {1, 3, 40})
      for (const int count : {0, 1, 33}) {
        Random random(5);
        Exec exec;
        std::vector<std::int32_t> table(9 * words);
        for (auto& x : table) x = random.below(1 << 30) - (1 << 29);
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
        for (auto& r : rows) r = static_cast<std::uint32_t>(random.below(9));
        std::vector<std::int32_t> out(static_cast<std::size_t>(count) * words, -1);
        kernels.copy_rows(exec, {table.data(), rows.data(), count, words, out.data()});
        for (std::size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], table[rows[i / words] * words + i % words]) << i;
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
