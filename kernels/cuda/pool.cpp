#include "kernels/cuda/scalar.h"

#include <cmath>

#include "kernels/cuda/functions.h"
#include "kernels/cuda/lanes.h"

namespace kern::KERN_ON {
namespace {

/// A pixel of an image, and a channel in it.
struct Pixel {
  std::size_t image;
  int y, x, channel;
};
KERN_DEVICE Pixel pixel(std::size_t i, int height, int width, int channels) {
  const Place in_pixels = place(i, channels);
  const Place in_lines = place(in_pixels.row, width);
  const Place in_images = place(in_lines.row, height);
  return {in_images.row, in_images.col, in_lines.col, in_pixels.col};
}

KERN_DEVICE std::size_t index_of(const Pixel& p, int y, int x, int height, int width,
                                 int channels) {
  return ((p.image * static_cast<std::size_t>(height) + static_cast<std::size_t>(y)) *
              static_cast<std::size_t>(width) +
          static_cast<std::size_t>(x)) *
             static_cast<std::size_t>(channels) +
         static_cast<std::size_t>(p.channel);
}

/// The windows along one axis that hold a pixel, in order.
struct Range {
  int begin, end;
};
KERN_DEVICE Range windows_with(int at, int pad, int kernel, int stride, int count) {
  const int padded = at + pad;
  const int begin = padded < kernel ? 0 : (padded - kernel) / stride + 1;
  const int end = padded / stride + 1;
  return {begin, end < count ? end : count};
}

std::size_t outputs(const Window& g) {
  return static_cast<std::size_t>(g.batch) * static_cast<std::size_t>(g.out_h) *
         static_cast<std::size_t>(g.out_w) * static_cast<std::size_t>(g.in_c);
}
std::size_t inputs(const Window& g) {
  return static_cast<std::size_t>(g.batch) * static_cast<std::size_t>(g.in_h) *
         static_cast<std::size_t>(g.in_w) * static_cast<std::size_t>(g.in_c);
}

/// Whether no two windows hold the same pixel.
bool apart(const Window& g) {
  return g.stride_h >= g.kernel_h && g.stride_w >= g.kernel_w && g.pad_h == 0 && g.pad_w == 0 &&
         g.out_h > 0 && g.out_w > 0;
}

/// spread() where windows are apart(), kWide channels a thread: a window writes its own pixels and
/// those up to the next one or the edge.
template <int kWide, class Share>
void spread_apart(const Window& g, float* dx, Share share) {
  over(outputs(g) / kWide, [=] KERN_DEVICE(std::size_t i) {
    const Pixel p = pixel(i * kWide, g.out_h, g.out_w, g.in_c);
    const int first_y = p.y * g.stride_h, first_x = p.x * g.stride_w;
    const int high = (p.y + 1 == g.out_h ? g.in_h : first_y + g.stride_h) - first_y;
    const int wide = (p.x + 1 == g.out_w ? g.in_w : first_x + g.stride_w) - first_x;
    for (int ky = 0; ky < high; ++ky) {
      for (int kx = 0; kx < wide; ++kx) {
        const bool inside = ky < g.kernel_h && kx < g.kernel_w;
        Lanes<float, kWide> shares{};
        for (int j = 0; inside && j < kWide; ++j)
          shares.at[j] = share(i * kWide + static_cast<std::size_t>(j), ky * g.kernel_w + kx);
        *reinterpret_cast<Lanes<float, kWide>*>(
            dx + index_of(p, first_y + ky, first_x + kx, g.in_h, g.in_w, g.in_c)) = shares;
      }
    }
  });
}

/// dx[i] = the sum over the windows that hold pixel i, in order, of share(window's output, position
/// of the pixel in it).
template <class Share>
void spread(const Window& g, float* dx, Share share) {
  if (apart(g)) {
    return g.in_c % kLanes == 0 && in_lanes(dx) ? spread_apart<kLanes>(g, dx, share)
                                                : spread_apart<1>(g, dx, share);
  }
  over(inputs(g), [=] KERN_DEVICE(std::size_t i) {
    const Pixel p = pixel(i, g.in_h, g.in_w, g.in_c);
    const Range rows = windows_with(p.y, g.pad_h, g.kernel_h, g.stride_h, g.out_h);
    const Range cols = windows_with(p.x, g.pad_w, g.kernel_w, g.stride_w, g.out_w);
    float sum = 0;
    for (int oy = rows.begin; oy < rows.end; ++oy) {
      for (int ox = cols.begin; ox < cols.end; ++ox) {
        const int ky = p.y + g.pad_h - oy * g.stride_h, kx = p.x + g.pad_w - ox * g.stride_w;
        sum += share(index_of(p, oy, ox, g.out_h, g.out_w, g.in_c), ky * g.kernel_w + kx);
      }
    }
    dx[i] = sum;
  });
}

/// maxpool_forward, kWide channels a thread.
template <int kWide>
void find_largest(const Window& g, const float* x, float* y, std::uint8_t* argmax) {
  over(outputs(g) / kWide, [=] KERN_DEVICE(std::size_t i) {
    constexpr int kNone = 255;
    const Pixel p = pixel(i * kWide, g.out_h, g.out_w, g.in_c);
    Lanes<float, kWide> best{};
    Lanes<std::uint8_t, kWide> where;
    for (int j = 0; j < kWide; ++j) where.at[j] = kNone;
    for (int ky = 0; ky < g.kernel_h; ++ky) {
      for (int kx = 0; kx < g.kernel_w; ++kx) {
        const int iy = p.y * g.stride_h - g.pad_h + ky, ix = p.x * g.stride_w - g.pad_w + kx;
        if (iy < 0 || iy >= g.in_h || ix < 0 || ix >= g.in_w) continue;
        const auto values = *reinterpret_cast<const Lanes<float, kWide>*>(
            x + index_of(p, iy, ix, g.in_h, g.in_w, g.in_c));
        for (int j = 0; j < kWide; ++j) {
          const float v = values.at[j];
          const bool is_more = v > best.at[j] || (is_nan(v) && !is_nan(best.at[j]));
          if (where.at[j] != kNone && !is_more) continue;
          best.at[j] = v;
          where.at[j] = static_cast<std::uint8_t>(ky * g.kernel_w + kx);
        }
      }
    }
    *reinterpret_cast<Lanes<float, kWide>*>(y + i * kWide) = best;
    *reinterpret_cast<Lanes<std::uint8_t, kWide>*>(argmax + i * kWide) = where;
  });
}

}  // namespace

void maxpool_forward(Exec&, const Window& g, const float* x, float* y, std::uint8_t* argmax) {
  g.in_c % kLanes == 0 && in_lanes(x) && in_lanes(y) && in_lanes(argmax)
      ? find_largest<kLanes>(g, x, y, argmax)
      : find_largest<1>(g, x, y, argmax);
}

void maxpool_backward(Exec&, const Window& g, const float* dy, const std::uint8_t* argmax,
                      float* dx) {
  spread(g, dx, [=] KERN_DEVICE(std::size_t output, int position) {
    return argmax[output] == position ? dy[output] : 0.0F;
  });
}

void avgpool_forward(Exec&, const Window& g, const float* x, float* y) {
  over(outputs(g), [=] KERN_DEVICE(std::size_t i) {
    const Pixel p = pixel(i, g.out_h, g.out_w, g.in_c);
    float sum = 0;
    for (int k = 0; k < g.kernel_h * g.kernel_w; ++k) {
      sum += x[index_of(p, p.y * g.stride_h + k / g.kernel_w, p.x * g.stride_w + k % g.kernel_w,
                        g.in_h, g.in_w, g.in_c)];
    }
    y[i] = sum / static_cast<float>(g.kernel_h * g.kernel_w);
  });
}

void avgpool_backward(Exec&, const Window& g, const float* dy, float* dx) {
  const auto positions = static_cast<float>(g.kernel_h * g.kernel_w);
  spread(g, dx, [=] KERN_DEVICE(std::size_t output, int) { return dy[output] / positions; });
}

}  // namespace kern::KERN_ON
