#include "kernels/cuda/functions.h"
#include "kernels/cuda/steps.h"

namespace kern::KERN_ON {
namespace {

/// A table's numbers, of whichever type they are stored in.
struct Numbers {
  const std::uint8_t* u8;
  const float* f32;
  KERN_DEVICE float at(std::size_t i) const {
    return u8 != nullptr ? static_cast<float>(u8[i]) : f32[i];
  }
};

std::size_t size_of(const GatherArgs<float>& g) {
  return static_cast<std::size_t>(g.count) * static_cast<std::size_t>(g.cols);
}

}  // namespace

void gather(Exec& exec, const GatherArgs<float>& g) {
  Temporary temporary;
  const BatchRows rows(exec, temporary, g.rows, g.count);
  const Numbers numbers{g.u8, g.f32};
  const float *shift = g.shift, *scale = g.scale;
  float* out = g.out;
  const int cols = g.cols;
  over(size_of(g), [=] KERN_DEVICE(std::size_t i) {
    const Place to = place(i, cols);
    const float v = numbers.at(rows[to.row] * static_cast<std::size_t>(cols) +
                               static_cast<std::size_t>(to.col));
    out[i] = (v - shift[to.col]) * scale[to.col];
  });
}

void gather_images(Exec& exec, const GatherImagesArgs<float>& a) {
  Temporary temporary;
  const BatchRows rows(exec, temporary, a.rows.rows, a.rows.count);
  const StepBuffer* buffer = exec.step_buffer;
  const ImageMove* given =
      buffer == nullptr ? temporary.copy(a.moves, static_cast<std::size_t>(a.rows.count)) : nullptr;
  const Numbers numbers{a.rows.u8, a.rows.f32};
  const float *shift = a.rows.shift, *scale = a.rows.scale;
  float* out = a.rows.out;
  const int cols = a.rows.cols, height = a.height, width = a.width, channels = a.channels;
  over(size_of(a.rows), [=] KERN_DEVICE(std::size_t i) {
    const Place to = place(i, cols);
    const ImageMove move =
        buffer == nullptr ? given[to.row] : buffer->moves[BatchRows::place(*buffer, to.row)];
    int y = to.col / channels / width - move.down, x = to.col / channels % width - move.right;
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    if (move.upside_down) y = height - 1 - y;
    if (move.mirror) x = width - 1 - x;
    float v = 0;
    if (inside) {
      v = numbers.at(rows[to.row] * static_cast<std::size_t>(cols) +
                     static_cast<std::size_t>((y * width + x) * channels + to.col % channels));
    }
    out[i] = (v - shift[to.col]) * scale[to.col];
  });
}

void copy_rows(Exec& exec, const CopyRowsArgs& a) {
  Temporary temporary;
  const BatchRows rows(exec, temporary, a.rows, a.count);
  const auto* from = static_cast<const std::uint32_t*>(a.table);
  auto* to = static_cast<std::uint32_t*>(a.out);
  const int words = static_cast<int>(a.words);
  over(static_cast<std::size_t>(a.count) * a.words, [=] KERN_DEVICE(std::size_t i) {
    const Place at = place(i, words);
    to[i] = from[rows[at.row] * static_cast<std::size_t>(words) + static_cast<std::size_t>(at.col)];
  });
}

void accumulate(Exec&, std::size_t count, const float* src, float* dst) {
  over(count, [=] KERN_DEVICE(std::size_t i) { dst[i] += src[i]; });
}

void scaled_copy(Exec& exec, std::size_t count, float factor, const float* src, float* dst) {
  const UpdateNumbers numbers(exec, {});
  over(count, [=] KERN_DEVICE(std::size_t i) {
    if (!numbers.halted()) dst[i] = factor * src[i];
  });
}

void blend(Exec& exec, std::size_t count, float rate, const float* src, float* dst) {
  const UpdateNumbers numbers(exec, {});
  over(count, [=] KERN_DEVICE(std::size_t i) {
    if (!numbers.halted()) dst[i] += rate * (src[i] - dst[i]);
  });
}

}  // namespace kern::KERN_ON
