// Optimizers whose step has the length of the layer that it changes: one pass for the norms, one
// for the weights.

#include "kernels/cpu/vector/moments.h"
#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// The quotient of two norms, or 1 where it says nothing.
double quotient(double norm, double by) { return norm > 0 && by > 0 ? norm / by : 1; }

/// Weights and what their norm is compared with: a vector of each.
struct Compared {
  reg weights, with;
};

/// The squares of both, summed.
struct Squares {
  double weights = 0, with = 0;
};

/// Adds the squares of `count` elements; at(offset, lanes...) returns a vector of each. Lanes are
/// added up in double often enough that the number of weights costs no digits.
template <class At>
KERN_INLINE void add_squares(std::ptrdiff_t count, Squares& sums, At at) {
  constexpr std::ptrdiff_t kBlock = 64 * kWidth;
  for (std::ptrdiff_t from = 0; from < count; from += kBlock) {
    reg weights = set1(0), with = set1(0);
    for_each_vector(
        count - from < kBlock ? count - from : kBlock, [&](std::ptrdiff_t i, auto... t)
                                                           __attribute__((always_inline)) {
                                                             const Compared x = at(from + i, t...);
                                                             weights =
                                                                 fma(x.weights, x.weights, weights);
                                                             with = fma(x.with, x.with, with);
                                                           });
    for (int i = 0; i < kWidth; ++i) {
      sums.weights += static_cast<double>(weights[i]);
      sums.with += static_cast<double>(with[i]);
    }
  }
}

/// Weights of a layer that lie side by side, and what corrects their moments.
struct Line {
  std::ptrdiff_t offset, count;
  const float *unbiases, *corrections;  // null: one number for all
  reg unbias, correction;
};

/// Calls f(line) for all weights of a layer.
template <class F>
KERN_INLINE void over_lines(const LambArgs<float>& a, F f) {
  for (std::size_t r = 0; r < a.run_count; ++r) {
    const LambRun<float>& run = a.runs[r];
    const bool listed = run.unbiases != nullptr;
    const std::size_t rows = listed ? run.rows : 1, cols = run.rows * run.cols / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      f(Line{static_cast<std::ptrdiff_t>(run.offset + row * cols),
             static_cast<std::ptrdiff_t>(cols), run.unbiases, run.corrections, set1(run.unbias),
             set1(run.correction)});
    }
  }
}

struct LambConstants {
  reg rest1, rest2, epsilon, decay;
};

/// LAMB's u of the weights from `i` on in the line.
template <class... Lanes>
KERN_INLINE reg lamb_step(const LambConstants& c, const Line& line, std::ptrdiff_t i, reg w, reg m,
                          reg v, Lanes... t) {
  const bool listed = line.unbiases != nullptr;
  const reg unbias = listed ? load(line.unbiases + i, t...) : line.unbias;
  const reg correction = listed ? load(line.corrections + i, t...) : line.correction;
  return plus_over_root(
      unbias * m, v, correction,
      c.epsilon, [&](reg step) __attribute__((always_inline)) { return fma(c.decay, w, step); });
}

/// Moves the moments of a line and adds the squares of its weights and steps.
void lamb_moments(LambArgs<float> a, const LambConstants& c, const Line& line, Squares& sums) {
  add_squares(
      line.count, sums, [&](std::ptrdiff_t i, auto... t) __attribute__((always_inline)) {
        const std::ptrdiff_t at = line.offset + i;
        const reg w = load(a.weights + at, t...), g = load(a.gradient + at, t...);
        const reg m = towards(load(a.m + at, t...), g, c.rest1);
        const reg v = towards(load(a.v + at, t...), g * g, c.rest2);
        store(a.m + at, m, t...);
        store(a.v + at, v, t...);
        return Compared{w, lamb_step(c, line, i, w, m, v, t...)};
      });
}

/// Moves the weights of a line. The steps are computed again: they would be a slot more to write.
void lamb_weights(LambArgs<float> a, const LambConstants& c, const Line& line, reg rate) {
  for_each_vector(line.count, [&](std::ptrdiff_t i, auto... t) {
    const std::ptrdiff_t at = line.offset + i;
    const reg w = load(a.weights + at, t...);
    const reg u = lamb_step(c, line, i, w, load(a.m + at, t...), load(a.v + at, t...), t...);
    store(a.weights + at, fma(rate, u, w), t...);
  });
}

}  // namespace

void lars(Exec&, const LarsArgs<float>& a) {
  const auto count = static_cast<std::ptrdiff_t>(a.count);
  Squares sums;
  add_squares(
      count, sums, [&](std::ptrdiff_t i, auto... t) __attribute__((always_inline)) {
        return Compared{load(a.weights + i, t...), load(a.gradient + i, t...)};
      });
  const double norm = __builtin_sqrt(sums.weights);
  const double ratio = quotient(norm, __builtin_sqrt(sums.with) + a.weight_decay * norm);
  const reg rate = set1(static_cast<float>(a.lr * a.trust * ratio));
  const reg momentum = set1(static_cast<float>(a.momentum)),
            decay = set1(static_cast<float>(a.weight_decay));
  for_each_vector(count, [&](std::ptrdiff_t i, auto... t) {
    const reg w = load(a.weights + i, t...);
    reg step = rate * fma(decay, w, load(a.gradient + i, t...));
    if (a.velocity) {
      step = fma(momentum, load(a.velocity + i, t...), step);
      store(a.velocity + i, step, t...);
    }
    store(a.weights + i, w - step, t...);
  });
}

void lamb(Exec&, const LambArgs<float>& a) {
  const LambConstants c{set1(static_cast<float>(1 - a.beta1)),
                        set1(static_cast<float>(1 - a.beta2)), set1(static_cast<float>(a.epsilon)),
                        set1(static_cast<float>(a.weight_decay))};
  Squares sums;
  over_lines(a, [&](const Line& line) { lamb_moments(a, c, line, sums); });
  const double ratio = quotient(__builtin_sqrt(sums.weights), __builtin_sqrt(sums.with));
  const reg rate = set1(static_cast<float>(-a.lr * ratio));
  over_lines(a, [&](const Line& line) { lamb_weights(a, c, line, rate); });
}

}  // namespace kern::cpu::KERN_ISA
