// Convolutions by what is fastest for a geometry: Winograd's method (winograd.cpp), the device's
// library (library_conv.h), or else as products, where the pixels under each position of the kernel
// become a row of a matrix (Chellapilla et al. 2006), a few images at a time so that the matrix
// stays small. Where kernels are one pixel wide the image is that matrix already.

#include "kernels/cuda/conv_plan.h"
#include "kernels/cuda/functions.h"
#include "kernels/cuda/lanes.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/library_conv.h"
#include "kernels/cuda/winograd.h"

namespace kern::KERN_ON {
namespace {

/// Some images and a group of their channels.
struct Piece {
  int first, images, group;
};

template <class F>
void for_each_piece(const ConvPlan& plan, F f) {
  for (int first = 0; first < plan.g.batch; first += plan.images) {
    const int left = plan.g.batch - first;
    for (int group = 0; group < plan.g.groups; ++group)
      f(Piece{first, left < plan.images ? left : plan.images, group});
  }
}

/// A matrix whose rows belong to output pixels.
struct Rows {
  float* at;
  int stride;
};

/// columns[output pixel, kernel position, channel] = the input under it, 0 beyond the edge; kWide
/// channels a thread.
template <int kWide>
void spread_columns(const ConvPlan& plan, const Piece& s, const float* x, float* columns) {
  const Window g = plan.g;
  const int depth = plan.depth, part = plan.part_in, first_channel = s.group * plan.part_in;
  const float* from = x + static_cast<std::size_t>(s.first) * plan.in_image();
  const std::size_t all = static_cast<std::size_t>(s.images) * plan.image_elements();
  over(all / kWide, [=] KERN_DEVICE(std::size_t i) {
    const Place row = place(i, depth / kWide);
    const Place line = place(row.row, g.out_w);
    const Place image = place(line.row, g.out_h);
    const int at = row.col * kWide, tap = at / part, channel = first_channel + at % part;
    const int y = image.col * g.stride_h - g.pad_h + tap / g.kernel_w * g.dilation_h;
    const int px = line.col * g.stride_w - g.pad_w + tap % g.kernel_w * g.dilation_w;
    Lanes<float, kWide> values{};
    if (y >= 0 && y < g.in_h && px >= 0 && px < g.in_w) {
      const std::size_t pixel =
          (image.row * static_cast<std::size_t>(g.in_h) + static_cast<std::size_t>(y)) *
              static_cast<std::size_t>(g.in_w) +
          static_cast<std::size_t>(px);
      values = *reinterpret_cast<const Lanes<float, kWide>*>(
          from + pixel * static_cast<std::size_t>(g.in_c) + static_cast<std::size_t>(channel));
    }
    *reinterpret_cast<Lanes<float, kWide>*>(columns + i * kWide) = values;
  });
}

/// The output position along an axis whose kernel position `tap` lies on pixel `at`, or -1.
KERN_DEVICE int output_at(int at, int tap, int pad, int stride, int dilation, int count) {
  const int from = at + pad - tap * dilation;
  return from >= 0 && from % stride == 0 && from / stride < count ? from / stride : -1;
}

/// dx[input pixel, channel] = the sum of what the kernel positions that lay on it want, in order;
/// kWide channels a thread.
template <int kWide>
void gather_columns(const ConvPlan& plan, const Piece& s, const float* columns, float* dx) {
  const Window g = plan.g;
  const int part = plan.part_in, first_channel = s.group * plan.part_in;
  const auto depth = static_cast<std::size_t>(plan.depth);
  float* to = dx + static_cast<std::size_t>(s.first) * plan.in_image();
  const std::size_t pixels = static_cast<std::size_t>(s.images) * static_cast<std::size_t>(g.in_h) *
                             static_cast<std::size_t>(g.in_w);
  over(pixels * static_cast<std::size_t>(part) / kWide, [=] KERN_DEVICE(std::size_t i) {
    const Place pixel = place(i, part / kWide);
    const Place line = place(pixel.row, g.in_w);
    const Place image = place(line.row, g.in_h);
    const int channel = pixel.col * kWide;
    Lanes<float, kWide> sums{};
    for (int tap = 0; tap < g.kernel_h * g.kernel_w; ++tap) {
      const int oy =
          output_at(image.col, tap / g.kernel_w, g.pad_h, g.stride_h, g.dilation_h, g.out_h);
      const int ox =
          output_at(line.col, tap % g.kernel_w, g.pad_w, g.stride_w, g.dilation_w, g.out_w);
      if (oy < 0 || ox < 0) continue;
      const std::size_t row =
          (image.row * static_cast<std::size_t>(g.out_h) + static_cast<std::size_t>(oy)) *
              static_cast<std::size_t>(g.out_w) +
          static_cast<std::size_t>(ox);
      const auto terms = *reinterpret_cast<const Lanes<float, kWide>*>(
          columns + row * depth + static_cast<std::size_t>(tap * part + channel));
      for (int j = 0; j < kWide; ++j) sums.at[j] += terms.at[j];
    }
    *reinterpret_cast<Lanes<float, kWide>*>(to + pixel.row * static_cast<std::size_t>(g.in_c) +
                                            static_cast<std::size_t>(first_channel + channel)) =
        sums;
  });
}

/// Whether channels of a group can be read kLanes at a time.
bool by_lanes(const ConvPlan& plan, const float* images) {
  return plan.part_in % kLanes == 0 && in_lanes(images);
}

/// In f32 alone: Winograd's method makes what tf32 and bf16 round larger.
template <Precision kPrecision>
bool by_winograd(const Window& g) {
  return kPrecision == Precision::f32 && WinogradPlan::fits(g);
}

/// The matrix of a piece's inputs: in place where it can be, else in the scratch memory.
Rows input_rows(const ConvPlan& plan, const Piece& s, Exec& exec, const float* x) {
  if (!plan.direct) {
    auto* columns = reinterpret_cast<float*>(exec.scratch);
    by_lanes(plan, x) ? spread_columns<kLanes>(plan, s, x, columns)
                      : spread_columns<1>(plan, s, x, columns);
    return {columns, plan.depth};
  }
  return {const_cast<float*>(x) + static_cast<std::size_t>(s.first) * plan.in_image() +
              static_cast<std::size_t>(s.group * plan.part_in),
          plan.g.in_c};
}

/// A piece's outputs of a group.
std::size_t output_offset(const ConvPlan& plan, const Piece& s) {
  return static_cast<std::size_t>(s.first) * plan.out_image() +
         static_cast<std::size_t>(s.group * plan.part_out);
}

}  // namespace

std::size_t conv_scratch(const Window& g) { return device_conv_scratch(g); }

template <Precision kPrecision>
void conv_forward(Exec& exec, const Window& g, const float* x, const float* w, const float* bias,
                  Activation act, float* y) {
  if (g.batch == 0) return;
  if (by_winograd<kPrecision>(g)) return winograd_forward(exec, g, x, w, bias, act, y);
  if (library_forward(exec, g, kPrecision, x, w, bias, act, y)) return;
  const ConvPlan plan(g);
  for_each_piece(plan, [&](const Piece& s) {
    const Rows rows = input_rows(plan, s, exec, x);
    gemm<kPrecision>(exec, {.trans_b = true,
                            .m = s.images * plan.pixels,
                            .n = plan.part_out,
                            .k = plan.depth,
                            .a = rows.at,
                            .lda = rows.stride,
                            .b = w + plan.weights(s.group),
                            .ldb = plan.depth,
                            .c = y + output_offset(plan, s),
                            .ldc = g.out_c});
  });
  bias_activation(exec, g.batch * plan.pixels, g.out_c, bias, act, y);
}

template <Precision kPrecision>
void conv_backward_data(Exec& exec, const Window& g, const float* dy, const float* w, float* dx) {
  if (g.batch == 0) return;
  if (by_winograd<kPrecision>(g)) return winograd_backward_data(exec, g, dy, w, dx);
  if (library_backward_data(exec, g, kPrecision, dy, w, dx)) return;
  const ConvPlan plan(g);
  for_each_piece(plan, [&](const Piece& s) {
    const Rows rows = plan.direct ? Rows{dx + static_cast<std::size_t>(s.first) * plan.in_image() +
                                             static_cast<std::size_t>(s.group * plan.part_in),
                                         g.in_c}
                                  : Rows{reinterpret_cast<float*>(exec.scratch), plan.depth};
    gemm<kPrecision>(exec, {.m = s.images * plan.pixels,
                            .n = plan.depth,
                            .k = plan.part_out,
                            .a = dy + output_offset(plan, s),
                            .lda = g.out_c,
                            .b = w + plan.weights(s.group),
                            .ldb = plan.depth,
                            .c = rows.at,
                            .ldc = rows.stride});
    if (plan.direct) return;
    by_lanes(plan, dx) ? gather_columns<kLanes>(plan, s, rows.at, dx)
                       : gather_columns<1>(plan, s, rows.at, dx);
  });
}

template <Precision kPrecision>
void conv_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy,
                           float* dw) {
  if (g.batch == 0) {
    Window one = g;
    one.batch = 1;
    return driver::zero(dw, ConvPlan(one).weights(g.groups) * sizeof(float));
  }
  if (by_winograd<kPrecision>(g) && WinogradPlan(g).sums_weights())
    return winograd_backward_weights(exec, g, x, dy, dw);
  if (library_backward_weights(exec, g, kPrecision, x, dy, dw)) return;
  const ConvPlan plan(g);
  for_each_piece(plan, [&](const Piece& s) {
    const Rows rows = input_rows(plan, s, exec, x);
    gemm<kPrecision>(exec, {.trans_a = true,
                            .m = plan.part_out,
                            .n = plan.depth,
                            .k = s.images * plan.pixels,
                            .a = dy + output_offset(plan, s),
                            .lda = g.out_c,
                            .b = rows.at,
                            .ldb = rows.stride,
                            .beta = s.first == 0 ? 0.0F : 1.0F,
                            .c = dw + plan.weights(s.group),
                            .ldc = plan.depth});
  });
}

template void conv_forward<Precision::f32>(Exec&, const Window&, const float*, const float*,
                                           const float*, Activation, float*);
template void conv_backward_data<Precision::f32>(Exec&, const Window&, const float*, const float*,
                                                 float*);
template void conv_backward_weights<Precision::f32>(Exec&, const Window&, const float*,
                                                    const float*, float*);
template void conv_forward<Precision::bf16>(Exec&, const Window&, const float*, const float*,
                                            const float*, Activation, float*);
template void conv_backward_data<Precision::bf16>(Exec&, const Window&, const float*, const float*,
                                                  float*);
template void conv_backward_weights<Precision::bf16>(Exec&, const Window&, const float*,
                                                     const float*, float*);
template void conv_forward<Precision::tf32>(Exec&, const Window&, const float*, const float*,
                                            const float*, Activation, float*);
template void conv_backward_data<Precision::tf32>(Exec&, const Window&, const float*, const float*,
                                                  float*);
template void conv_backward_weights<Precision::tf32>(Exec&, const Window&, const float*,
                                                     const float*, float*);

}  // namespace kern::KERN_ON
