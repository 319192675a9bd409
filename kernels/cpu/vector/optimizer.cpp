// Optimizers: every weight and its slots are read and written once a step.

#include "kernels/cpu/vector/moments.h"
#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// What does not change from weight to weight.
struct AdamConstants {
  reg rest1, rest2, epsilon, decay, keep;
};

template <class A>
KERN_INLINE AdamConstants adam_constants(const A& a) {
  return {set1(static_cast<float>(1 - a.beta1)), set1(static_cast<float>(1 - a.beta2)),
          set1(static_cast<float>(a.epsilon)), set1(static_cast<float>(a.weight_decay)),
          set1(static_cast<float>(a.keep))};
}

/// A vector of weights with its moments.
struct Moments {
  reg w, m, v;
};

/// The weights from `i` on with their moments after the gradient, which are stored. Where nothing
/// decays, two operations that would change nothing are left out, here and in adam_moved.
template <bool Decays, class A, class... Lanes>
KERN_INLINE Moments adam_moments(const A& a, const AdamConstants& c, std::ptrdiff_t i, Lanes... t) {
  const reg w = load(a.weights + i, t...), raw = load(a.gradient + i, t...);
  const reg g = Decays ? fma(c.decay, w, raw) : raw;
  const reg m = towards(load(a.m + i, t...), g, c.rest1);
  const reg v = towards(load(a.v + i, t...), g * g, c.rest2);
  store(a.m + i, m, t...);
  store(a.v + i, v, t...);
  return {w, m, v};
}

/// The weights after the step. `step_size` is negative.
template <bool Decays>
KERN_INLINE reg adam_moved(const AdamConstants& c, const Moments& at, reg step_size,
                           reg correction) {
  return plus_over_root(
      step_size * at.m, at.v, correction, c.epsilon, [&](reg step) __attribute__((always_inline)) {
        return Decays ? fma(c.keep, at.w, step) : at.w + step;
      });
}

template <bool Decays, class A, class... Lanes>
KERN_INLINE void adam_vector(const A& a, const AdamConstants& c, std::ptrdiff_t i, reg step_size,
                             reg correction, Lanes... t) {
  const Moments at = adam_moments<Decays>(a, c, i, t...);
  store(a.weights + i, adam_moved<Decays>(c, at, step_size, correction), t...);
}

template <class A>
bool decays(const A& a) {
  return a.weight_decay != 0 || a.keep != 1;
}

/// Vectors whose chains of operations are woven into each other: one chain alone leaves the units
/// idle for a quarter of the time. As many as the registers hold.
constexpr int kWoven = kRegisters == 32 ? 4 : 1;

/// `a` is a copy: what a store may change behind a reference would be read again for each vector.
template <bool Decays>
void adam_run(AdamArgs<float> a, reg step_size, reg correction) {
  const AdamConstants c = adam_constants(a);
  const auto count = static_cast<std::ptrdiff_t>(a.count),
             woven = count - count % (kWoven * kWidth);
  for (std::ptrdiff_t i = 0; i < woven; i += kWoven * kWidth) {
    Moments at[kWoven];
#pragma GCC unroll 4
    for (int q = 0; q < kWoven; ++q) at[q] = adam_moments<Decays>(a, c, i + q * kWidth);
#pragma GCC unroll 4
    for (int q = 0; q < kWoven; ++q) at[q].w = adam_moved<Decays>(c, at[q], step_size, correction);
#pragma GCC unroll 4
    for (int q = 0; q < kWoven; ++q) store(a.weights + i + q * kWidth, at[q].w);
  }
  for_each_vector(count - woven, [&](std::ptrdiff_t i, auto... t) {
    adam_vector<Decays>(a, c, woven + i, step_size, correction, t...);
  });
}

/// base^step. The pieces of a network are updated one after another at the same step.
template <int Site>
double power(double base, std::int64_t step) {
  struct Last {
    double base = 0, value = 0;
    std::int64_t step = -1;
  };
  static thread_local Last last;
  if (last.base != base || last.step != step)
    last = {base, __builtin_pow(base, static_cast<double>(step)), step};
  return last.value;
}

}  // namespace

void sgd(Exec&, const SgdArgs<float>& a) {
  const reg lr = set1(static_cast<float>(-a.lr)), momentum = set1(static_cast<float>(a.momentum));
  const reg decay = set1(static_cast<float>(a.weight_decay));
  for_each_vector(static_cast<std::ptrdiff_t>(a.count), [&](std::ptrdiff_t i, auto... t) {
    const reg w = load(a.weights + i, t...);
    reg g = fma(decay, w, load(a.gradient + i, t...));
    if (a.velocity) {
      const reg velocity = fma(momentum, load(a.velocity + i, t...), g);
      store(a.velocity + i, velocity, t...);
      g = a.nesterov ? fma(momentum, velocity, g) : velocity;
    }
    store(a.weights + i, fma(lr, g, w), t...);
  });
}

void adam(Exec&, const AdamArgs<float>& a) {
  const double t1 = 1 - power<1>(a.beta1, a.step);
  const double t2 = 1 - power<2>(a.beta2, a.step);
  const reg step_size = set1(static_cast<float>(-a.lr / t1));
  const reg correction = set1(static_cast<float>(1 / __builtin_sqrt(t2)));
  decays(a) ? adam_run<true>(a, step_size, correction) : adam_run<false>(a, step_size, correction);
}

void adam_columns(Exec&, const AdamColumnsArgs<float>& a) {
  const AdamConstants c = adam_constants(a);
  const auto cols = static_cast<std::ptrdiff_t>(a.cols);
  for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(a.rows); ++row) {
    for_each_vector(cols, [&](std::ptrdiff_t j, auto... t) {
      adam_vector<true>(a, c, row * cols + j, -load(a.step_size + j, t...),
                        load(a.correction + j, t...), t...);
    });
  }
}

void rmsprop(Exec&, const RmspropArgs<float>& a) {
  const reg lr = set1(static_cast<float>(-a.lr)), momentum = set1(static_cast<float>(a.momentum));
  const reg alpha = set1(static_cast<float>(a.alpha)), rest = set1(static_cast<float>(1 - a.alpha));
  const reg epsilon = set1(static_cast<float>(a.epsilon)),
            decay = set1(static_cast<float>(a.weight_decay));
  for_each_vector(static_cast<std::ptrdiff_t>(a.count), [&](std::ptrdiff_t i, auto... t) {
    const reg w = load(a.weights + i, t...), g = fma(decay, w, load(a.gradient + i, t...));
    const reg v = fma(alpha, load(a.v + i, t...), rest * g * g);
    store(a.v + i, v, t...);
    reg update = plus_over_root(g, v, set1(1.0f), epsilon, [](reg step) { return step; });
    if (a.velocity) {
      update = fma(momentum, load(a.velocity + i, t...), update);
      store(a.velocity + i, update, t...);
    }
    store(a.weights + i, fma(lr, update, w), t...);
  });
}

}  // namespace kern::cpu::KERN_ISA
