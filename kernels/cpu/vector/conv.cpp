// Convolution over NHWC images as matrix products whose A is read in place. For one row of output
// pixels and one row ky of the kernel, the inputs of neighbouring pixels lie stride_w * in_c floats
// apart, and the kernel_w * in_c inputs of one pixel lie side by side: exactly a strided matrix, so
// nothing is unrolled into columns. Dilated kernels and groups have no such matrix: they are left
// to the reference, and to oneDNN where a table chooses (conv_choice.h).

#include "kernels/cpu/vector/gemm_pack.h"
#include "kernels/cpu/vector/gemm_tile.h"
#include "kernels/cpu/vector/vector.h"
#include "kernels/ref/ref.h"

namespace kern::cpu::KERN_ISA {
namespace {

// Terms of a sum that one pass takes: so much of B stays in the first-level cache while images
// stream past it.
constexpr int kDepth = 320;
constexpr std::ptrdiff_t kPanelFloats = kDepth * kCols;
constexpr int kChunk = 192;                          // output pixels
constexpr std::ptrdiff_t kBlockFloats = 128 * 1024;  // of images, in the second-level cache

constexpr int least(std::ptrdiff_t a, std::ptrdiff_t b) { return static_cast<int>(a < b ? a : b); }
constexpr int most(std::ptrdiff_t a, std::ptrdiff_t b) { return static_cast<int>(a > b ? a : b); }
constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

/// Sizes in floats that follow from a window.
struct Sizes {
  explicit Sizes(const Window& g)
      : out_w(g.out_w),
        run(g.kernel_w * g.in_c),
        depth(run * g.kernel_h),
        padded_h((g.out_h - 1) * g.stride_h + g.kernel_h),
        padded_w((g.out_w - 1) * g.stride_w + g.kernel_w),
        pads(g.pad_h > 0 || g.pad_w > 0 || padded_h > g.in_h || padded_w > g.in_w),
        row(std::ptrdiff_t(pads ? padded_w : g.in_w) * g.in_c),
        image((pads ? padded_h : g.in_h) * row),
        out_image(std::ptrdiff_t(g.out_h) * g.out_w * g.out_c),
        images(least(g.batch, most(1, kBlockFloats / (image + out_image)))),
        out_stride(divide_up(g.out_c, kWidth) * kWidth),
        chunk_images(most(1, kChunk / (g.out_h * g.out_w))),
        chunk_rows(least(g.out_h, most(1, kChunk / g.out_w))) {}
  int out_w;
  int run, depth;             ///< inputs of one pixel: in one row of the kernel, in all
  int padded_h, padded_w;     ///< what the windows reach
  bool pads;                  ///< whether they reach beyond the image
  std::ptrdiff_t row, image;  ///< of the input as the tiles read it
  std::ptrdiff_t out_image;
  int images;                    ///< of a block
  int out_stride;                ///< row of a transposed weight gradient
  int chunk_images, chunk_rows;  ///< of dy that a weight gradient takes at once

  [[nodiscard]] std::ptrdiff_t pad_floats() const { return pads ? images * image : 0; }
  [[nodiscard]] std::ptrdiff_t step_floats() const {
    return (most(kDepth, most(kChunk, out_w)) + 15) / 16 * 16;
  }
};

std::ptrdiff_t round_up(std::ptrdiff_t floats) { return (floats + 15) / 16 * 16; }

std::ptrdiff_t packed_floats(int depth, int cols) {
  return round_up(std::ptrdiff_t(depth) * divide_up(cols, kCols) * kCols);
}

void zero(float* p, std::ptrdiff_t count) {
  __builtin_memset(p, 0, sizeof(float) * static_cast<std::size_t>(count));
}

/// Images with their borders, in `to`; or where they are, when windows stay inside.
const float* padded(const Window& g, const Sizes& s, const float* x, int images, float* to) {
  if (!s.pads) return x;
  const int rows = least(g.in_h, s.padded_h - g.pad_h),
            columns = least(g.in_w, s.padded_w - g.pad_w);
  zero(to, images * s.image);
  for (int n = 0; n < images; ++n)
    copy_rows(x + std::ptrdiff_t(n) * g.in_h * g.in_w * g.in_c, std::ptrdiff_t(g.in_w) * g.in_c,
              rows, columns * g.in_c,
              to + n * s.image + g.pad_h * s.row + std::ptrdiff_t(g.pad_w) * g.in_c, s.row);
  return to;
}

/// f(first, count) for `total` rows in nearly equal tiles.
template <class F>
KERN_INLINE void for_each_tile(int total, F f) {
  const int tiles = divide_up(total, kRows), low = total / (tiles > 0 ? tiles : 1),
            high = tiles > 0 ? total % tiles : 0;
  for (int i = 0, first = 0; i < tiles; ++i) {
    const int count = low + (i < high);
    f(first, count);
    first += count;
  }
}

/// f(first, vectors, lanes of the last vector) for `total` columns, a tile's width at a time.
template <class F>
KERN_INLINE void for_each_panel(int total, F f) {
  for (int j = 0; j < total; j += kCols) {
    const int cols = least(total - j, kCols), vectors = divide_up(cols, kWidth);
    f(j, vectors, cols - (vectors - 1) * kWidth);
  }
}

/// A part of every pixel's sum: `rows` rows of the kernel from `first_row` on, or a piece of one
/// row.
struct Pass {
  int first_row, rows, from, length;
};

/// f(pass, is first, is last), in an order that depends on the kernel alone.
template <class F>
KERN_INLINE void for_each_pass(int kernel_h, int run, F f) {
  const int pieces = divide_up(run, kDepth), rows_at_once = pieces > 1 ? 1 : most(1, kDepth / run);
  for (int row = 0; row < kernel_h; row += rows_at_once)
    for (int i = 0; i < pieces; ++i) {
      const int from = run * i / pieces, to = run * (i + 1) / pieces,
                rows = least(rows_at_once, kernel_h - row);
      f(Pass{row, rows, from, to - from}, row == 0 && i == 0,
        row + rows == kernel_h && i + 1 == pieces);
    }
}

/// One level of a loop over inputs: `count` of them, `stride` floats apart.
struct Level {
  std::ptrdiff_t stride;
  int count;
};

/// What a pointer adds after each input of a nested loop, innermost level first.
void write_steps(const Level (&levels)[3], std::int32_t* steps) {
  const auto [inner, middle, outer] = levels;
  const std::ptrdiff_t next_middle = middle.stride - (inner.count - 1) * inner.stride;
  const std::ptrdiff_t next_outer =
      outer.stride - (middle.count - 1) * middle.stride - (inner.count - 1) * inner.stride;
  for (int o = 0; o < outer.count; ++o)
    for (int m = 0; m < middle.count; ++m) {
      for (int i = 0; i + 1 < inner.count; ++i) *steps++ = static_cast<std::int32_t>(inner.stride);
      *steps++ = static_cast<std::int32_t>(m + 1 < middle.count ? next_middle : next_outer);
    }
}

/// Output rows [oy, end) of `images` images; where an image's pixels are evenly spaced it counts as
/// one row.
struct Rows {
  int images, oy, end, columns;
};

/// One pass for one panel of output channels; `t` holds all but the places of A and C.
template <class Work>
void forward_tiles(const Window& g, const Sizes& s, const Rows& r, const Pass& pass, const float* x,
                   Work t, int vectors, bool whole, float* y) {
  for (int n = 0; n < r.images; ++n)
    for (int oy = r.oy; oy < r.end; ++oy) {
      const float* a = x + n * s.image + (oy * g.stride_h + pass.first_row) * s.row + pass.from;
      float* c = y + n * s.out_image + std::ptrdiff_t(oy) * r.columns * g.out_c;
      for_each_tile(r.columns, [&](int ox, int count) {
        t.a = a + ox * t.lda;
        t.c = c + std::ptrdiff_t(ox) * g.out_c;
        find_tile<false, Work>(count, vectors, whole)(t);
      });
    }
}

/// One panel of output channels for some rows.
void forward_rows(const Window& g, const Sizes& s, const Rows& r, const float* x,
                  const float* panel, int vectors, int last, const float* bias, bool relu,
                  std::int32_t* steps, float* y) {
  constexpr int kShort = 16;  // terms of a segment
  for_each_pass(g.kernel_h, s.run, [&](const Pass& pass, bool is_first, bool is_last) {
    WindowTile t{{pass.length, nullptr, std::ptrdiff_t(g.stride_w) * g.in_c,
                  panel + std::ptrdiff_t(pass.first_row * s.run + pass.from) * kCols, kCols,
                  nullptr, g.out_c, 1.0f, is_first ? 0.0f : 1.0f, tail(last)},
                 is_last ? bias : nullptr,
                 is_last && relu};
    if (pass.length > kShort)
      return forward_tiles(g, s, r, pass, x, SegmentTile{t, pass.rows, s.row - pass.length},
                           vectors, last == kWidth, y);
    t.k = pass.rows * pass.length;
    write_steps({{1, pass.length}, {s.row, pass.rows}, {0, 1}}, steps);
    forward_tiles(g, s, r, pass, x, StepTile{t, steps}, vectors, last == kWidth, y);
  });
}

/// All output pixels of a block of images. A panel stays in the cache while the images stream past
/// it; when all panels fit at once, a row is finished before the next, so that every line of y is
/// written once.
void forward_block(const Window& g, const Sizes& s, const float* x, int images, const float* packed,
                   const float* bias, bool relu, std::int32_t* steps, float* y) {
  const bool even = g.stride_h * s.row == std::ptrdiff_t(g.out_w) * g.stride_w * g.in_c;
  const Rows all{images, 0, even ? 1 : g.out_h, even ? g.out_h * g.out_w : g.out_w};
  const auto panels = [&](const Rows& r, const float* in, float* out) {
    for_each_panel(g.out_c, [&](int j, int vectors, int last) {
      forward_rows(g, s, r, in, packed + std::ptrdiff_t(j) * s.depth, vectors, last,
                   bias ? bias + j : nullptr, relu, steps, out + j);
    });
  };
  if (s.depth > kDepth || packed_floats(s.depth, g.out_c) > kPanelFloats || g.out_c <= kCols)
    return panels(all, x, y);
  for (int n = 0; n < images; ++n)
    for (int oy = 0; oy < all.end; ++oy)
      panels({1, oy, oy + 1, all.columns}, x + n * s.image, y + n * s.out_image);
}

/// The gradient of weights, transposed, from output rows [oy, oy + rows) of `images` images.
void weights_chunk(const Window& g, const Sizes& s, const float* x, const float* dy, int images,
                   int oy, int rows, bool first, std::int32_t* steps, float* turned) {
  StepTile t;
  t.k = g.out_w * rows * images;
  t.steps = steps;
  write_steps({{std::ptrdiff_t(g.stride_w) * g.in_c, g.out_w},
               {g.stride_h * s.row, rows},
               {s.image, images}},
              steps);
  t.ldb = g.out_c;
  t.ldc = s.out_stride;
  t.alpha = 1;
  t.beta = first ? 0.0f : 1.0f;
  for_each_panel(g.out_c, [&](int j, int vectors, int last) {
    t.last = tail(last);
    t.b = dy + std::ptrdiff_t(oy) * g.out_w * g.out_c + j;
    for (int ky = 0; ky < g.kernel_h; ++ky)
      for_each_tile(s.run, [&](int i, int count) {
        t.a = x + (oy * g.stride_h + ky) * s.row + i;
        t.c = turned + std::ptrdiff_t(ky * s.run + i) * s.out_stride + j;
        find_tile<true, StepTile>(count, vectors, last == kWidth)(t);
      });
  });
}

/// dx += dy w for one kernel position: `count` output pixels of row `oy` at a time, scattered to
/// their inputs.
struct Tap {
  int ky, kx, first, count;  ///< output columns whose input column lies inside the image
};

Tap tap_of(const Window& g, int ky, int kx) {
  const int first = kx >= g.pad_w ? 0 : divide_up(g.pad_w - kx, g.stride_w);
  const int last_input = g.in_w - 1 + g.pad_w - kx;
  const int end = last_input < 0 ? 0 : least(g.out_w, last_input / g.stride_w + 1);
  return {ky, kx, first, most(0, end - first)};
}

void data_rows(const Window& g, const Tap& tap, const float* dy, const float* packed, int oy,
               int end, float* dx) {
  Tile t{g.out_c, nullptr, g.out_c, nullptr, kCols, nullptr, std::ptrdiff_t(g.stride_w) * g.in_c,
         1.0f,    1.0f,    tail(0)};
  for_each_panel(g.in_c, [&](int j, int vectors, int last) {
    t.last = tail(last);
    t.b = packed + std::ptrdiff_t(j) * g.out_c;
    for (int row = oy; row < end; ++row) {
      const int iy = row * g.stride_h - g.pad_h + tap.ky;
      if (iy < 0 || iy >= g.in_h) continue;
      for_each_tile(tap.count, [&](int i, int count) {
        const int ox = tap.first + i;
        t.a = dy + (std::ptrdiff_t(row) * g.out_w + ox) * g.out_c;
        t.c = dx + (std::ptrdiff_t(iy) * g.in_w + ox * g.stride_w - g.pad_w + tap.kx) * g.in_c + j;
        find_tile<false, Tile>(count, vectors, last == kWidth)(t);
      });
    }
  });
}

bool has_matrix(const Window& g) { return g.groups == 1 && g.dilation_h == 1 && g.dilation_w == 1; }

float* scratch_of(const Exec& exec) { return reinterpret_cast<float*>(exec.scratch); }

}  // namespace

std::size_t conv_scratch(const Window& g) {
  if (!has_matrix(g)) return 0;
  const Sizes s(g);
  const std::ptrdiff_t forward = packed_floats(s.depth, g.out_c) + s.pad_floats();
  const std::ptrdiff_t weights = round_up(std::ptrdiff_t(s.depth) * s.out_stride) + s.pad_floats();
  const std::ptrdiff_t data = packed_floats(g.kernel_h * g.kernel_w * g.out_c, g.in_c);
  const std::ptrdiff_t forward_or_weights = forward > weights ? forward : weights;
  return sizeof(float) *
         static_cast<std::size_t>(s.step_floats() +
                                  (forward_or_weights > data ? forward_or_weights : data));
}

void conv_forward(Exec& exec, const Window& g, const float* x, const float* w, const float* bias,
                  Activation act, float* y) {
  if (!has_matrix(g)) return ref::conv_forward(exec, g, x, w, bias, act, y);
  const Sizes s(g);
  std::int32_t* steps = reinterpret_cast<std::int32_t*>(exec.scratch);
  float* packed = scratch_of(exec) + s.step_floats();
  float* border = packed + packed_floats(s.depth, g.out_c);
  pack_block(true, w, s.depth, s.depth, g.out_c, packed);
  for (int n = 0; n < g.batch; n += s.images) {
    const int images = least(s.images, g.batch - n);
    const float* in =
        padded(g, s, x + std::ptrdiff_t(n) * g.in_h * g.in_w * g.in_c, images, border);
    float* out = y + n * s.out_image;
    forward_block(g, s, in, images, packed, bias, act == Activation::relu, steps, out);
    if (act != Activation::none && act != Activation::relu)
      bias_activation(exec, images * g.out_h * g.out_w, g.out_c, nullptr, act, out);
  }
}

void conv_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy,
                           float* dw) {
  if (!has_matrix(g)) return ref::conv_backward_weights(exec, g, x, dy, dw);
  const Sizes s(g);
  std::int32_t* steps = reinterpret_cast<std::int32_t*>(exec.scratch);
  float* turned = scratch_of(exec) + s.step_floats();
  float* border = turned + round_up(std::ptrdiff_t(s.depth) * s.out_stride);
  if (g.batch == 0) zero(dw, std::ptrdiff_t(s.depth) * g.out_c);
  bool first = true;
  for (int block = 0; block < g.batch; block += s.images) {
    const int in_block = least(s.images, g.batch - block);
    const float* in =
        padded(g, s, x + std::ptrdiff_t(block) * g.in_h * g.in_w * g.in_c, in_block, border);
    for (int n = 0; n < in_block; n += s.chunk_images)
      for (int oy = 0; oy < g.out_h; oy += s.chunk_rows) {
        weights_chunk(g, s, in + n * s.image, dy + (block + n) * s.out_image,
                      least(s.chunk_images, in_block - n), oy, least(s.chunk_rows, g.out_h - oy),
                      first, steps, turned);
        first = false;
      }
  }
  if (first) return;
  for (int k = 0; k < s.depth; k += kWidth)
    for (int o = 0; o < g.out_c; o += 4) {
      const int terms = least(kWidth, s.depth - k), channels = least(4, g.out_c - o);
      if (terms == kWidth) {
        reg v[4];
        load_transposed4(turned + std::ptrdiff_t(k) * s.out_stride + o, s.out_stride, v);
        for (int q = 0; q < channels; ++q) store(dw + std::ptrdiff_t(o + q) * s.depth + k, v[q]);
        continue;
      }
      for (int q = 0; q < channels; ++q)
        for (int i = 0; i < terms; ++i)
          dw[std::ptrdiff_t(o + q) * s.depth + k + i] =
              turned[std::ptrdiff_t(k + i) * s.out_stride + o + q];
    }
}

void conv_backward_data(Exec& exec, const Window& g, const float* dy, const float* w, float* dx) {
  if (!has_matrix(g)) return ref::conv_backward_data(exec, g, dy, w, dx);
  const Sizes s(g);
  const int taps = g.kernel_h * g.kernel_w;
  const std::ptrdiff_t image = std::ptrdiff_t(g.in_h) * g.in_w * g.in_c;
  const std::ptrdiff_t tap_floats = std::ptrdiff_t(g.out_c) * divide_up(g.in_c, kCols) * kCols;
  float* packed = scratch_of(exec);
  for (int tap = 0; tap < taps; ++tap)
    pack_block(false, w + std::ptrdiff_t(tap) * g.in_c, s.depth, g.out_c, g.in_c,
               packed + tap * tap_floats);
  // Output rows whose gradients and inputs stay in the first-level cache while all taps pass over
  // them.
  const std::ptrdiff_t row_floats =
      std::ptrdiff_t(g.out_w) * g.out_c + std::ptrdiff_t(g.stride_h) * g.in_w * g.in_c;
  const int rows = least(g.out_h, most(1, 10 * 1024 / row_floats));
  for (int n = 0; n < g.batch; ++n) {
    zero(dx + n * image, image);
    for (int oy = 0; oy < g.out_h; oy += rows)
      for (int tap = 0; tap < taps; ++tap)
        data_rows(g, tap_of(g, tap / g.kernel_w, tap % g.kernel_w), dy + n * s.out_image,
                  packed + tap * tap_floats, oy, least(g.out_h, oy + rows), dx + n * image);
  }
}

}  // namespace kern::cpu::KERN_ISA
