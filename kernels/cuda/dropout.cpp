#include "kernels/cuda/steps.h"

#include "kernels/cuda/functions.h"

namespace kern::KERN_ON {
namespace {

/// Word `word` of Philox4x32-10 (Salmon et al., SC'11).
KERN_DEVICE std::uint32_t philox(std::uint64_t key, std::uint32_t c0, std::uint32_t c1,
                                 std::uint32_t c2, std::uint32_t c3, std::uint32_t word) {
  auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c0, b = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ low;
    c1 = static_cast<std::uint32_t>(b);
    c2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ high;
    c3 = static_cast<std::uint32_t>(a);
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

}  // namespace

void dropout_forward(Exec& exec, const DropoutArgs<float>& a) {
  Temporary temporary;
  const StepBuffer* buffer = exec.step_buffer;
  const std::uint32_t* row_ids =
      buffer == nullptr ? temporary.copy(a.row_ids, static_cast<std::size_t>(a.rows)) : nullptr;
  const std::uint32_t* unit_ids = temporary.copy(a.unit_ids, static_cast<std::size_t>(a.units));
  const auto threshold = static_cast<std::uint32_t>(a.rate * 0x1p32);
  const auto scale = static_cast<float>(1 / (1 - a.rate));
  const std::uint64_t key = a.key;
  const std::uint32_t given_step = a.step;
  const int units = a.units, positions = a.positions;
  const float* x = a.x;
  float* y = a.y;
  std::uint8_t* kept = a.kept;
  const auto strips = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(positions);
  over(strips * static_cast<std::size_t>(units), [=] KERN_DEVICE(std::size_t i) {
    const Place strip = place(i, units);
    const Place pass = place(strip.row, positions);
    const std::uint32_t unit =
        unit_ids != nullptr ? unit_ids[strip.col] : static_cast<std::uint32_t>(strip.col);
    std::uint32_t row = static_cast<std::uint32_t>(pass.row), step = given_step;
    if (buffer != nullptr) {
      row = buffer->rows[BatchRows::place(*buffer, pass.row)];
      step = buffer->step + buffer->sums.steps;
    } else if (row_ids != nullptr) {
      row = row_ids[pass.row];
    }
    const std::uint32_t word =
        philox(key, unit / 64 * 16 + unit % 16, static_cast<std::uint32_t>(pass.col), row, step,
               unit / 16 % 4);
    const bool stays = word >= threshold;
    kept[i] = stays ? 1 : 0;
    y[i] = stays ? x[i] * scale : 0;
  });
}

void dropout_backward(Exec&, std::size_t count, double rate, const std::uint8_t* kept,
                      const float* dy, float* dx) {
  const auto scale = static_cast<float>(1 / (1 - rate));
  over(count, [=] KERN_DEVICE(std::size_t i) { dx[i] = kept[i] != 0 ? dy[i] * scale : 0; });
}

}  // namespace kern::KERN_ON
