#include "kernels/cuda/sums.h"

#include <vector>

#include "kernels/cuda/functions.h"

namespace kern::KERN_ON {

double sum_squares(Exec&, std::size_t count, const float* x) {
  constexpr std::size_t kPart = 16 * kSumThreads;
  const std::size_t parts = (count + kPart - 1) / kPart;
  if (parts == 0) return 0;
  Temporary temporary;
  auto* sums = temporary.take<double>(parts);
  auto* total = temporary.take<double>(1);
  over_blocks<kSumThreads, SumTerms<double>>(
      parts, [=] KERN_DEVICE(const Block<kSumThreads>& block, SumTerms<double>& shared) {
        const std::size_t begin = block.index * kPart;
        const std::size_t end = begin + kPart < count ? begin + kPart : count;
        block.each([&](int t) {
          double sum = 0;
          for (std::size_t i = begin + static_cast<std::size_t>(t); i < end; i += kSumThreads)
            sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
          shared.terms[t] = sum;
        });
        add_up<kSumThreads>(block, shared.terms);
        block.each([&](int t) {
          if (t == 0) sums[block.index] = shared.terms[0];
        });
      });
  sum_in_one_block(parts, sums, [=] KERN_DEVICE(double sum) { *total = sum; });
  double result = 0;
  driver::to_host(&result, total, sizeof result);
  return result;
}

void unit_squares(Exec&, const UnitBlock& b, const float* x, float* squares) {
  if (b.units == 0) return;
  Temporary temporary;
  auto* sums = temporary.take<float>(b.units);
  const std::size_t units = b.units, inner = b.inner, each = b.outer * b.inner;
  over_blocks<kSumThreads, SumTerms<float>>(
      units, [=] KERN_DEVICE(const Block<kSumThreads>& block, SumTerms<float>& shared) {
        block.each([&](int t) {
          float sum = 0;
          for (std::size_t i = static_cast<std::size_t>(t); i < each; i += kSumThreads) {
            const float v = x[(i / inner * units + block.index) * inner + i % inner];
            sum += v * v;
          }
          shared.terms[t] = sum;
        });
        add_up<kSumThreads>(block, shared.terms);
        block.each([&](int t) {
          if (t == 0) sums[block.index] = shared.terms[0];
        });
      });
  std::vector<float> added(units);
  driver::to_host(added.data(), sums, units * sizeof(float));
  for (std::size_t u = 0; u < units; ++u) squares[u] += added[u];
}

void scale_units(Exec&, const UnitBlock& b, const float* factor, float* x) {
  Temporary temporary;
  const float* factors = temporary.copy(factor, b.units);
  const std::size_t units = b.units, inner = b.inner;
  over(b.outer * units * inner,
       [=] KERN_DEVICE(std::size_t i) { x[i] *= factors[i / inner % units]; });
}

namespace {

/// The axes of a regrouping with their lists on the device.
struct AxesThere {
  AxisMap axis[RegroupArgs<float>::kMostAxes];
  std::size_t below[RegroupArgs<float>::kMostAxes];  ///< elements of an entry of the new tensor
  int count;
};

}  // namespace

void regroup(Exec&, const RegroupArgs<float>& a) {
  Temporary temporary;
  AxesThere axes{};
  axes.count = a.axes;
  std::size_t all = 1;
  for (int d = a.axes; d-- > 0;) {
    const AxisMap& axis = a.axis[static_cast<std::size_t>(d)];
    const auto length = static_cast<std::size_t>(axis.length);
    axes.axis[d] = {temporary.copy(axis.source, length), temporary.copy(axis.factor, length),
                    axis.length, axis.before};
    axes.below[d] = all;
    all *= length;
  }
  const float* x = a.x;
  float* y = a.y;
  over(all, [=] KERN_DEVICE(std::size_t i) {
    std::size_t from = 0, rest = i;
    double factor = 1;
    bool old = true;
    for (int d = 0; d < axes.count; ++d) {
      const AxisMap& axis = axes.axis[d];
      const std::size_t at = rest / axes.below[d];
      rest -= at * axes.below[d];
      const int source = axis.source == nullptr ? static_cast<int>(at) : axis.source[at];
      old = old && source >= 0;
      from = from * static_cast<std::size_t>(axis.before) + static_cast<std::size_t>(source);
      if (axis.factor != nullptr) factor *= axis.factor[at];
    }
    if (!old)
      y[i] = 0;
    else
      y[i] = factor == 1 ? x[from] : static_cast<float>(static_cast<double>(x[from]) * factor);
  });
}

void set_units(Exec&, const UnitBlock& b, int count, const std::uint32_t* units,
               const float* values, float* x) {
  Temporary temporary;
  const auto some = static_cast<std::size_t>(count);
  const std::uint32_t* list = temporary.copy(units, some);
  const std::size_t all = b.units, inner = b.inner;
  over(b.outer * some * inner, [=] KERN_DEVICE(std::size_t i) {
    const std::size_t row = i / inner;
    x[(row / some * all + list[row % some]) * inner + i % inner] = values[i];
  });
}

}  // namespace kern::KERN_ON
