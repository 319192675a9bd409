// Convolutions with 3x3 kernels in a quarter of the multiplications (Lavin & Gray 2016, "Fast
// algorithms for convolutional neural networks", section 4): tiles of 6x6 pixels and kernels are
// polynomials, taken at 6 points along each axis, multiplied there channel by channel, which is a
// product of matrices a point, and put together again. The points are 0, 1, -1, 1/2, -2 and
// infinity, whose rounding errors are the smallest (Barabasz et al. 2020, "Error analysis and
// improving the accuracy of Winograd convolution for deep neural networks", table 4).

#include "kernels/cuda/winograd.h"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/scalar.h"
#include "kernels/cuda/winograd_plan.h"

#ifdef KERN_EMULATED
#define KERN_UNROLL
#else
#define KERN_UNROLL _Pragma("unroll")
#endif

namespace kern::KERN_ON {
namespace {

constexpr int kTile = WinogradPlan::kTile, kSide = 6, kKernel = 3;

/// 6 pixels at the points.
struct Pixels {
  KERN_DEVICE static void apply(const float (&d)[kSide], float (&p)[kSide]) {
    p[0] = d[0] - 1.5F * d[1] - 2 * d[2] + 1.5F * d[3] + d[4];
    p[1] = -d[1] + 0.5F * d[2] + 2.5F * d[3] + d[4];
    p[2] = d[1] - 2.5F * d[2] + 0.5F * d[3] + d[4];
    p[3] = -2 * d[1] - d[2] + 2 * d[3] + d[4];
    p[4] = 0.5F * d[1] - d[2] - 0.5F * d[3] + d[4];
    p[5] = d[1] - 1.5F * d[2] - 2 * d[3] + 1.5F * d[4] + d[5];
  }
};

/// 3 weights at the points.
struct Weights {
  KERN_DEVICE static void apply(const float (&w)[kKernel], float (&p)[kSide]) {
    constexpr float kThird = 1.0F / 3, kFifteenth = 1.0F / 15;
    p[0] = w[0];
    p[1] = kThird * (w[0] + w[1] + w[2]);
    p[2] = kThird * (w[1] - w[0] - w[2]);
    p[3] = -4 * kFifteenth * (4 * w[0] + 2 * w[1] + w[2]);
    p[4] = kFifteenth * (w[0] - 2 * w[1] + 4 * w[2]);
    p[5] = w[2];
  }
};

/// The same from the points back to 3 weights: the transpose.
struct WeightsBack {
  KERN_DEVICE static void apply(const float (&p)[kSide], float (&w)[kKernel]) {
    constexpr float kThird = 1.0F / 3, kFifteenth = 1.0F / 15;
    w[0] = p[0] + kThird * (p[1] - p[2]) + kFifteenth * (p[4] - 16 * p[3]);
    w[1] = kThird * (p[1] + p[2]) - kFifteenth * (8 * p[3] + 2 * p[4]);
    w[2] = kThird * (p[1] - p[2]) + 4 * kFifteenth * (p[4] - p[3]) + p[5];
  }
};

/// 4 outputs from the points.
struct Outputs {
  KERN_DEVICE static void apply(const float (&p)[kSide], float (&y)[kTile]) {
    y[0] = p[0] + (p[1] + p[2]) + p[3] + p[4];
    y[1] = (p[1] - p[2]) + 0.5F * p[3] - 2 * p[4];
    y[2] = (p[1] + p[2]) + 0.25F * p[3] + 4 * p[4];
    y[3] = (p[1] - p[2]) + 0.125F * p[3] - 8 * p[4] + p[5];
  }
};

/// The same from 4 outputs back to the points: the transpose.
struct OutputsBack {
  KERN_DEVICE static void apply(const float (&y)[kTile], float (&p)[kSide]) {
    p[0] = y[0];
    p[1] = (y[0] + y[2]) + (y[1] + y[3]);
    p[2] = (y[0] + y[2]) - (y[1] + y[3]);
    p[3] = y[0] + 0.5F * y[1] + 0.25F * y[2] + 0.125F * y[3];
    p[4] = y[0] - 2 * y[1] + 4 * y[2] - 8 * y[3];
    p[5] = y[3];
  }
};

/// Line's transform along both axes of a square.
template <class Line, int kFrom, int kTo>
KERN_DEVICE void both_ways(const float (&from)[kFrom][kFrom], float (&to)[kTo][kTo]) {
  float between[kFrom][kTo];
  KERN_UNROLL
  for (int row = 0; row < kFrom; ++row) Line::apply(from[row], between[row]);
  KERN_UNROLL
  for (int col = 0; col < kTo; ++col) {
    float line[kFrom], done[kTo];
    KERN_UNROLL
    for (int row = 0; row < kFrom; ++row) line[row] = between[row][col];
    Line::apply(line, done);
    KERN_UNROLL
    for (int row = 0; row < kTo; ++row) to[row][col] = done[row];
  }
}

/// Tiles of some images with `channels`, whose pixels are `height` x `width`.
struct Grid {
  int high, wide, height, width, channels;
};

/// Where the tile and channel of number i begin, in tiles: the pixel's place and its image.
struct Corner {
  std::size_t image;
  int y, x, channel;
};
KERN_DEVICE Corner corner(const Grid& grid, std::size_t i) {
  const Place tile = place(i, grid.channels);
  const Place line = place(tile.row, grid.wide);
  const Place image = place(line.row, grid.high);
  return {image.row, image.col * kTile, line.col * kTile, tile.col};
}

/// The pixels of a square, 0 beyond the edge.
template <int kSize>
KERN_DEVICE void load(const Grid& grid, const Corner& at, const float* from,
                      float (&pixels)[kSize][kSize]) {
  const auto width = static_cast<std::size_t>(grid.width);
  const auto channels = static_cast<std::size_t>(grid.channels);
  const float* image = from + at.image * static_cast<std::size_t>(grid.height) * width * channels +
                       static_cast<std::size_t>(at.channel);
  KERN_UNROLL
  for (int row = 0; row < kSize; ++row) {
    KERN_UNROLL
    for (int col = 0; col < kSize; ++col) {
      const int y = at.y + row, x = at.x + col;
      const bool inside = y >= 0 && y < grid.height && x >= 0 && x < grid.width;
      pixels[row][col] =
          inside ? image[(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) *
                         channels]
                 : 0.0F;
    }
  }
}

/// points[point, tile, channel] of `tiles` tiles, and zeros up to `room` tiles.
template <class Line, int kSize>
void to_points(const Grid& grid, int pad_h, int pad_w, std::size_t tiles, std::size_t room,
               const float* from, float* points) {
  const auto channels = static_cast<std::size_t>(grid.channels);
  const std::size_t all = tiles * channels, each = room * channels;
  over(each, [=] KERN_DEVICE(std::size_t i) {
    float pixels[kSize][kSize] = {}, at_points[kSide][kSide];
    if (i < all) {
      Corner at = corner(grid, i);
      at.y -= pad_h;
      at.x -= pad_w;
      load(grid, at, from, pixels);
    }
    both_ways<Line>(pixels, at_points);
    KERN_UNROLL
    for (int p = 0; p < kSide * kSide; ++p)
      points[static_cast<std::size_t>(p) * each + i] = at_points[p / kSide][p % kSide];
  });
}

/// points[point, out channel, in channel] of the weights; `rotated`: of the kernel upside down and
/// mirrored.
void weights_to_points(const WinogradPlan& plan, bool rotated, const float* w, float* points) {
  const std::size_t each = plan.weights();
  const int channels = plan.g.in_c;
  over(each, [=] KERN_DEVICE(std::size_t i) {
    const Place at = place(i, channels);
    const auto wide = static_cast<std::size_t>(channels);
    const float* kernel = w + at.row * kKernel * kKernel * wide + static_cast<std::size_t>(at.col);
    float taps[kKernel][kKernel], at_points[kSide][kSide];
    KERN_UNROLL
    for (int tap = 0; tap < kKernel * kKernel; ++tap) {
      const int from = rotated ? kKernel * kKernel - 1 - tap : tap;
      taps[tap / kKernel][tap % kKernel] = kernel[static_cast<std::size_t>(from) * wide];
    }
    both_ways<Weights>(taps, at_points);
    KERN_UNROLL
    for (int p = 0; p < kSide * kSide; ++p)
      points[static_cast<std::size_t>(p) * each + i] = at_points[p / kSide][p % kSide];
  });
}

/// Images from the products at the points.
void from_points(const Grid& grid, std::size_t tiles, const float* points, const float* bias,
                 Activation act, float* to) {
  const std::size_t each = tiles * static_cast<std::size_t>(grid.channels);
  over(each, [=] KERN_DEVICE(std::size_t i) {
    float at_points[kSide][kSide], pixels[kTile][kTile];
    KERN_UNROLL
    for (int p = 0; p < kSide * kSide; ++p)
      at_points[p / kSide][p % kSide] = points[static_cast<std::size_t>(p) * each + i];
    both_ways<Outputs>(at_points, pixels);
    const Corner at = corner(grid, i);
    const auto width = static_cast<std::size_t>(grid.width);
    const auto channels = static_cast<std::size_t>(grid.channels);
    const float shift = bias != nullptr ? bias[at.channel] : 0.0F;
    float* image = to + at.image * static_cast<std::size_t>(grid.height) * width * channels +
                   static_cast<std::size_t>(at.channel);
    KERN_UNROLL
    for (int row = 0; row < kTile; ++row) {
      KERN_UNROLL
      for (int col = 0; col < kTile; ++col) {
        const int y = at.y + row, x = at.x + col;
        if (y >= grid.height || x >= grid.width) continue;
        image[(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) * channels] =
            activated(act, pixels[row][col] + shift);
      }
    }
  });
}

Grid inputs_of(const WinogradPlan& plan) {
  return {plan.high, plan.wide, plan.g.in_h, plan.g.in_w, plan.g.in_c};
}
Grid outputs_of(const WinogradPlan& plan) {
  return {plan.high, plan.wide, plan.g.out_h, plan.g.out_w, plan.g.out_c};
}
std::size_t image_size(const Grid& grid) {
  return static_cast<std::size_t>(grid.height) * static_cast<std::size_t>(grid.width) *
         static_cast<std::size_t>(grid.channels);
}

/// f(first image, images) for each piece.
template <class F>
void for_each_stretch(const WinogradPlan& plan, F f) {
  for (int first = 0; first < plan.g.batch; first += plan.images)
    f(first, plan.g.batch - first < plan.images ? plan.g.batch - first : plan.images);
}

/// The convolution that `plan` says with weights at the points, [in, out] channels or, where they
/// are `turned`, [out, in].
void convolve(Exec& exec, const WinogradPlan& plan, bool turned, const float* x,
              const float* weights, const float* bias, Activation act, float* y) {
  const Grid in = inputs_of(plan), out = outputs_of(plan);
  float* points = reinterpret_cast<float*>(exec.scratch) + WinogradPlan::kPoints * plan.weights();
  for_each_stretch(plan, [&](int first, int images) {
    const int rows = images * plan.tiles();
    const auto tiles = static_cast<std::size_t>(rows), from = static_cast<std::size_t>(first);
    float* products = points + WinogradPlan::points(tiles, in.channels);
    to_points<Pixels, kSide>(in, plan.g.pad_h, plan.g.pad_w, tiles, tiles,
                             x + from * image_size(in), points);
    driver::products({.trans_b = turned,
                      .m = rows,
                      .n = out.channels,
                      .k = in.channels,
                      .a = points,
                      .lda = in.channels,
                      .b = weights,
                      .ldb = turned ? in.channels : out.channels,
                      .c = products,
                      .ldc = out.channels},
                     WinogradPlan::kPoints,
                     {.a = tiles * static_cast<std::size_t>(in.channels),
                      .b = plan.weights(),
                      .c = tiles * static_cast<std::size_t>(out.channels)});
    from_points(out, tiles, products, bias, act, y + from * image_size(out));
  });
}

}  // namespace

void winograd_forward(Exec& exec, const Window& g, const float* x, const float* w,
                      const float* bias, Activation act, float* y) {
  const WinogradPlan plan(g);
  auto* weights = reinterpret_cast<float*>(exec.scratch);
  weights_to_points(plan, false, w, weights);
  convolve(exec, plan, true, x, weights, bias, act, y);
}

void winograd_backward_data(Exec& exec, const Window& g, const float* dy, const float* w,
                            float* dx) {
  const WinogradPlan plan(g);
  auto* weights = reinterpret_cast<float*>(exec.scratch);
  weights_to_points(plan, true, w, weights);
  convolve(exec, plan.turned(), false, dy, weights, nullptr, Activation::none, dx);
}

void winograd_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy,
                               float* dw) {
  const WinogradPlan plan(g);
  const Grid in = inputs_of(plan), out = outputs_of(plan);
  const int parts = plan.parts;
  auto* sums = reinterpret_cast<float*>(exec.scratch);  // [point, part, out channel, in channel]
  float* points = sums + static_cast<std::size_t>(WinogradPlan::kPoints * parts) * plan.weights();
  for_each_stretch(plan, [&](int first, int images) {
    const int part_tiles = plan.part_tiles(images);
    const auto tiles = static_cast<std::size_t>(images * plan.tiles());
    const auto room = static_cast<std::size_t>(part_tiles * parts);
    const auto from = static_cast<std::size_t>(first), part = static_cast<std::size_t>(part_tiles);
    float* slopes = points + WinogradPlan::points(room, in.channels);
    to_points<Pixels, kSide>(in, g.pad_h, g.pad_w, tiles, room, x + from * image_size(in), points);
    to_points<OutputsBack, kTile>(out, 0, 0, tiles, room, dy + from * image_size(out), slopes);
    driver::products({.trans_a = true,
                      .m = out.channels,
                      .n = in.channels,
                      .k = part_tiles,
                      .a = slopes,
                      .lda = out.channels,
                      .b = points,
                      .ldb = in.channels,
                      .beta = first == 0 ? 0.0F : 1.0F,
                      .c = sums,
                      .ldc = in.channels},
                     WinogradPlan::kPoints * parts,
                     {.a = part * static_cast<std::size_t>(out.channels),
                      .b = part * static_cast<std::size_t>(in.channels),
                      .c = plan.weights()});
  });
  const std::size_t each = plan.weights();
  const int channels = in.channels;
  over(each, [=] KERN_DEVICE(std::size_t i) {
    float at_points[kSide][kSide], taps[kKernel][kKernel];
    KERN_UNROLL
    for (int p = 0; p < kSide * kSide; ++p) {
      float sum = 0;
      for (int part = 0; part < parts; ++part)
        sum += sums[static_cast<std::size_t>(p * parts + part) * each + i];
      at_points[p / kSide][p % kSide] = sum;
    }
    both_ways<WeightsBack>(at_points, taps);
    const Place at = place(i, channels);
    const auto wide = static_cast<std::size_t>(channels);
    float* kernel = dw + at.row * kKernel * kKernel * wide + static_cast<std::size_t>(at.col);
    KERN_UNROLL
    for (int tap = 0; tap < kKernel * kKernel; ++tap)
      kernel[static_cast<std::size_t>(tap) * wide] = taps[tap / kKernel][tap % kKernel];
  });
}

}  // namespace kern::KERN_ON
