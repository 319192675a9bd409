// Every optimizer against its formula written out in f64.

#include "nn/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "nn/optimizers/late.h"
#include "nn/training/random.h"

namespace {

/// State of one weight, enough for any of the formulas.
struct One {
  double w = 0, a = 0, b = 0;
};
/// A step of all weights of a layer.
using Formula = std::function<void(std::span<One>, std::span<const double> gradient, int step)>;

/// The same formula for each weight by itself.
Formula each(const std::function<void(One&, double gradient, int step)>& formula) {
  return [=](std::span<One> layer, std::span<const double> gradient, int step) {
    for (std::size_t i = 0; i < layer.size(); ++i) formula(layer[i], gradient[i], step);
  };
}

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

double norm_of_weights(std::span<const One> layer) {
  std::vector<double> weights;
  for (const One& one : layer) weights.push_back(one.w);
  return norm(weights);
}

/// You, Gitman & Ginsburg 2017, algorithm 1.
Formula lars(double rate, double eta, double momentum, double beta) {
  return [=](std::span<One> layer, std::span<const double> gradient, int) {
    const double w = norm_of_weights(layer);
    const double local = eta * w / (norm(gradient) + beta * w);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      One& o = layer[i];
      o.a = momentum * o.a + rate * local * (gradient[i] + beta * o.w);
      o.w -= o.a;
    }
  };
}

/// You et al. 2020, algorithm 2.
Formula lamb(double rate, double beta1, double beta2, double epsilon, double decay) {
  return [=](std::span<One> layer, std::span<const double> gradient, int step) {
    std::vector<double> direction;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      One& o = layer[i];
      o.a = beta1 * o.a + (1 - beta1) * gradient[i];
      o.b = beta2 * o.b + (1 - beta2) * gradient[i] * gradient[i];
      const double m = o.a / (1 - std::pow(beta1, step)), v = o.b / (1 - std::pow(beta2, step));
      direction.push_back(m / (std::sqrt(v) + epsilon) + decay * o.w);
    }
    const double ratio = norm_of_weights(layer) / norm(direction);
    for (std::size_t i = 0; i < layer.size(); ++i) layer[i].w -= rate * ratio * direction[i];
  };
}

struct Case {
  nn::Fields fields;
  Formula formula;
};

const std::multimap<std::string, Case>& cases() {
  constexpr double kDecay = 0.01;
  static const std::multimap<std::string, Case> kCases{
      {"sgd", {{{"lr", 0.1}}, each([](One& o, double g, int) { o.w -= 0.1 * g; })}},
      {"sgd",
       {{{"lr", 0.1}, {"momentum", 0.9}, {"weight_decay", kDecay}}, each([](One& o, double g, int) {
          o.a = 0.9 * o.a + g + kDecay * o.w;
          o.w -= 0.1 * o.a;
        })}},
      {"sgd",
       {{{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", true}, {"weight_decay", kDecay}},
        each([](One& o, double g, int) {
          g += kDecay * o.w;
          o.a = 0.9 * o.a + g;
          o.w -= 0.1 * (g + 0.9 * o.a);
        })}},
      {"sgd",
       {{{"lr", 0.1}, {"nesterov", true}}, each([](One& o, double g, int) { o.w -= 0.1 * g; })}},
      {"adamw",
       {{{"lr", 0.02}, {"beta1", 0.8}, {"beta2", 0.95}, {"weight_decay", 0.5}},
        each([](One& o, double g, int step) {
          o.w *= 1 - 0.02 * 0.5;
          o.a = 0.8 * o.a + (1 - 0.8) * g;
          o.b = 0.95 * o.b + (1 - 0.95) * g * g;
          const double m = o.a / (1 - std::pow(0.8, step)), v = o.b / (1 - std::pow(0.95, step));
          o.w -= 0.02 * m / (std::sqrt(v) + 1e-8);
        })}},
      {"adam",
       {{{"lr", 0.02}, {"beta1", 0.8}, {"beta2", 0.95}, {"weight_decay", kDecay}},
        each([](One& o, double g, int step) {
          g += kDecay * o.w;
          o.a = 0.8 * o.a + (1 - 0.8) * g;
          o.b = 0.95 * o.b + (1 - 0.95) * g * g;
          const double m = o.a / (1 - std::pow(0.8, step)), v = o.b / (1 - std::pow(0.95, step));
          o.w -= 0.02 * m / (std::sqrt(v) + 1e-8);
        })}},
      {"rmsprop",
       {{{"lr", 0.02}, {"alpha", 0.9}, {"weight_decay", kDecay}}, each([](One& o, double g, int) {
          g += kDecay * o.w;
          o.a = 0.9 * o.a + (1 - 0.9) * g * g;
          o.w -= 0.02 * g / (std::sqrt(o.a) + 1e-8);
        })}},
      {"rmsprop",
       {{{"lr", 0.02}, {"momentum", 0.7}, {"epsilon", 1e-3}}, each([](One& o, double g, int) {
          o.a = 0.99 * o.a + (1 - 0.99) * g * g;
          o.b = 0.7 * o.b + g / (std::sqrt(o.a) + 1e-3);
          o.w -= 0.02 * o.b;
        })}},
      {"lars", {{{"lr", 3.0}, {"trust", 0.02}}, lars(3, 0.02, 0.9, 0)}},
      {"lars",
       {{{"lr", 2.0}, {"momentum", 0.0}, {"weight_decay", kDecay}}, lars(2, 1e-3, 0, kDecay)}},
      {"lamb", {{{"lr", 0.02}}, lamb(0.02, 0.9, 0.999, 1e-6, 1e-2)}},
      {"lamb",
       {{{"lr", 0.02}, {"beta1", 0.8}, {"beta2", 0.95}, {"epsilon", 1e-3}, {"weight_decay", 0.3}},
        lamb(0.02, 0.8, 0.95, 1e-3, 0.3)}}};
  return kCases;
}

/// Runs 20 steps of a case through a kernel table; returns the largest relative difference from the
/// formula.
template <class T>
double difference(const nn::Optimizer& kind, const Case& one, const kern::Kernels<T>& kernels) {
  constexpr std::size_t kCount = 37;
  const nn::Fields fields = nn::complete(kind.info(), one.fields, "test");
  const auto update = kind.bind(fields, T{});
  const auto draw = [](std::size_t i, int step) {
    return double{nn::symmetric_unit(
        nn::random_block({1}, {std::uint32_t(i), std::uint32_t(step), 0, 0})[0])};
  };
  std::vector<T> weights(kCount), gradient(kCount), slots(kCount * std::size_t(kind.slots(fields)));
  std::array<One, kCount> exact;
  std::array<double, kCount> wide{};
  for (std::size_t i = 0; i < kCount; ++i) {
    weights[i] = static_cast<T>(draw(i, 0));
    exact[i].w = static_cast<double>(weights[i]);
  }
  kern::Exec exec;
  double worst = 0;
  for (int step = 1; step <= 20; ++step) {
    for (std::size_t i = 0; i < kCount; ++i) {
      gradient[i] = static_cast<T>(draw(i, step));
      wide[i] = static_cast<double>(gradient[i]);
    }
    one.formula(exact, wide, step);
    update->run(kernels, exec, kCount, kCount, weights.data(), gradient.data(), slots.data(), step,
                nn::real(fields, "lr"));
    for (std::size_t i = 0; i < kCount; ++i) {
      const double off = std::abs(static_cast<double>(weights[i]) - exact[i].w);
      worst = std::max(worst, off / std::max(1.0, std::abs(exact[i].w)));
    }
  }
  return worst;
}

TEST(Optimizer, EveryKindFollowsItsFormula) {
  kern::prepare_thread();
  for (const nn::Optimizer* kind : nn::optimizers()) {
    const auto [begin, end] = cases().equal_range(kind->info().kind);
    ASSERT_NE(begin, end) << kind->info().kind << " has no formula here";
    for (auto it = begin; it != end; ++it) {
      SCOPED_TRACE(kind->info().kind);
      EXPECT_LT(difference(*kind, it->second, kern::ref_kernels<double>()), 1e-12);
      EXPECT_LT(difference(*kind, it->second, kern::cpu_kernels()), 1e-4);
    }
  }
}

TEST(Optimizer, EveryKindMayTakeGradientsOneStepLate) {
  constexpr std::size_t kCount = 37;
  kern::prepare_thread();
  const kern::Kernels<float>& kernels = kern::cpu_kernels();
  for (const nn::Optimizer* kind : nn::optimizers()) {
    SCOPED_TRACE(kind->info().kind);
    const nn::Optimizer& late = nn::optimizer_of(nn::late_kind(kind->info().kind));
    const nn::Fields fields = nn::complete(late.info(), {}, "test");
    ASSERT_EQ(late.slots(fields), kind->slots(fields) + 1);
    EXPECT_EQ(late.slot_powers().size(), kind->slot_powers().size() + 1);
    const auto in_time = kind->bind(fields, float{}), one_late = late.bind(fields, float{});
    std::vector<float> a(kCount), b, gradient(kCount), before(kCount);
    for (std::size_t i = 0; i < kCount; ++i) a[i] = 0.1F * static_cast<float>(i) - 1;
    b = a;
    std::vector<float> own(kCount * 2), with_waiting(kCount * 3);
    kern::Exec exec;
    for (int step = 1; step <= 20; ++step) {
      before = gradient;
      for (std::size_t i = 0; i < kCount; ++i)
        gradient[i] = std::sin(static_cast<float>(i + 31 * static_cast<std::size_t>(step)));
      const double lr = 0.01 / step;
      if (step > 1)
        in_time->run(kernels, exec, kCount, kCount, a.data(), before.data(), own.data(), step - 1,
                     lr);
      one_late->run(kernels, exec, kCount, kCount, b.data(), gradient.data(), with_waiting.data(),
                    step, lr);
      ASSERT_EQ(a, b) << step;
    }
  }
}

}  // namespace
