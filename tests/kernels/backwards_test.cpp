// Device code must not depend on the order in which threads and blocks happen to run: on the host
// they run in either order, and the bits are the same.

#include <array>
#include <numeric>

#include "tests/kernels/window_cases.h"

namespace kern::emulated::driver {
void reverse(bool on) noexcept;
}

namespace kern::test {
namespace {

/// Every kernel that sums, or that writes and reads the same memory, on shapes of several blocks.
Floats sums_of(const Kernels<float>& k) {
  Random random(31);
  Exec none;
  constexpr int kRows = 1100, kCols = 70;
  const Floats x = random.floats(std::size_t(kRows) * kCols), scale = random.floats(kCols);
  Floats dy = random.floats(x.size()), mean(kRows), variance(kRows), dx(x.size()), dscale(kCols);
  Floats all;
  const auto keep = [&](const Floats& v) { all.insert(all.end(), v.begin(), v.end()); };
  k.activation_backward(none, kRows, kCols, Activation::tanh, x.data(), dy.data(), dscale.data());
  keep(dy), keep(dscale);
  k.column_moments(none, kRows, kCols, x.data(), mean.data(), variance.data());
  keep(mean), keep(variance);
  const Floats shift = dscale;
  k.batch_norm_backward(none, {kRows, kCols, x.data(), mean.data(), variance.data(), 0.1,
                               scale.data(), dy.data(), shift.data(), dscale.data(), dx.data()});
  keep(dscale), keep(dx);
  k.layer_norm_forward(none, {kRows, kCols, x.data(), 0.1, scale.data(), shift.data(),
                              Activation::gelu, mean.data(), variance.data(), dx.data()});
  keep(mean), keep(variance), keep(dx);
  k.layer_norm_backward(none, {kRows, kCols, x.data(), mean.data(), variance.data(), scale.data(),
                               dy.data(), dscale.data(), dx.data()});
  keep(dscale), keep(dx);
  std::vector<std::int32_t> labels(kRows);
  for (auto& label : labels) label = random.below(kCols);
  const LossSums loss = k.softmax_cross_entropy(none, {.rows = kRows,
                                                       .classes = kCols,
                                                       .logits = x.data(),
                                                       .labels = labels.data(),
                                                       .smoothing = 0.1,
                                                       .dlogits = dx.data()});
  keep(dx), keep({static_cast<float>(loss.loss), static_cast<float>(loss.correct)});
  const LossSums difference = k.huber(none, {.rows = kRows,
                                             .cols = kCols,
                                             .prediction = x.data(),
                                             .target = dy.data(),
                                             .dprediction = dx.data()});
  keep(dx), keep({static_cast<float>(difference.loss),
                  static_cast<float>(k.sum_squares(none, x.size(), x.data()))});
  Floats squares(kCols);
  k.unit_squares(none, {.outer = kRows, .units = kCols}, x.data(), squares.data());
  keep(squares);
  const Window g = sparse(window(3, 11, 9, 6, 8, 3, 3, 2, 1), 2, 2);
  Scratch scratch(k.conv_scratch(g));
  const Floats image = random.floats(input_size(g)), w = random.floats(weights_size(g)),
               dout = random.floats(output_size(g));
  Floats dimage(image.size()), dw(w.size());
  k.conv_backward_data(scratch.exec(), g, dout.data(), w.data(), dimage.data());
  k.conv_backward_weights(scratch.exec(), g, image.data(), dout.data(), dw.data());
  keep(dimage), keep(dw);
  return all;
}

TEST(DeviceCode, DoesNotDependOnTheOrderOfThreadsAndBlocks) {
  prepare_thread();
  const Kernels<float>& kernels = emulated_device().kernels();
  const Floats forwards = sums_of(kernels);
  emulated::driver::reverse(true);
  const Floats backwards = sums_of(kernels);
  emulated::driver::reverse(false);
  EXPECT_TRUE(same_bits(forwards, backwards));
}

TEST(DeviceCode, MemoryOfADeviceIsClosedToTheProgram) {
  const Memory& memory = *emulated_device().kernels().memory;
  auto* there = static_cast<float*>(memory.allocate(sizeof(float)));
  const float number = 3;
  memory.put(there, &number, sizeof number);
  float back = 0;
  memory.get(&back, there, sizeof back);
  EXPECT_EQ(back, 3);
  EXPECT_DEATH(*static_cast<volatile float*>(there) = 1, "");
  memory.release(there);
}

TEST(DeviceMemory, WhatDoesNotFitIsAnErrorThatSaysHowMuchThereIs) {
  std::size_t left = 0, all = 0;
  emulated_device().memory_left(left, all);
  try {
    (void)emulated_device().kernels().memory->allocate(all + 1);
    FAIL() << "got memory that is not there";
  } catch (const OutOfMemory& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(std::to_string(left)), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(all + 1)), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kern::test
