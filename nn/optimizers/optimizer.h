#pragma once
// What a kind of optimizer is: one object per kind, listed in registry.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/step_buffer.h"
#include "nn/fields.h"
#include "nn/training/ages.h"
#include "nn/training/hyper.h"

namespace nn {

/// The slots from number `offset` on; null for an optimizer that has none.
template <class T>
[[nodiscard]] T* slots_from(T* slots, std::size_t offset) {
  return slots != nullptr ? slots + offset : nullptr;
}

/// An optimizer with its fields read out, ready to run once a step.
template <class T>
class Update {
 public:
  virtual ~Update() = default;
  /// Returns true if a weight's step depends on the others of its layer: run() and run_aged() are
  /// then called for whole layers (layer_parts).
  [[nodiscard]] virtual bool by_layer() const { return false; }
  /// Changes `count` weights in place, each by itself unless by_layer(). `gradient` is the mean
  /// over the batch; slot i begins at slots + i * stride; `step` counts from 1 at the network's
  /// birth, `lr` is the rate at this step.
  virtual void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count,
                   std::size_t stride, T* weights, const T* gradient, T* slots, std::int64_t step,
                   double lr) const = 0;
  /// Returns the factors of a step for a device that reads them in a kern::StepBuffer.
  [[nodiscard]] virtual kern::StepNumbers numbers(std::int64_t /*step*/, double lr) const {
    return {.rate = static_cast<float>(lr)};
  }
  /// Before the parts of a step on a network whose units were born at different steps: sets the
  /// tables of `ages`. What does not count steps needs none.
  virtual void begin_aged(Ages<T>& /*ages*/, std::int64_t /*step*/, double /*lr*/) const {}
  /// run() for one part of such a network; the pointers are to the whole slab's first elements.
  virtual void run_aged(const kern::Kernels<T>& kernels, kern::Exec& exec, const Ages<T>& /*ages*/,
                        const SlabPart& part, std::size_t stride, T* weights, const T* gradient,
                        T* slots, std::int64_t step, double lr) const {
    run(kernels, exec, part.count, stride, weights + part.offset, gradient + part.offset,
        slots_from(slots, part.offset), step, lr);
  }
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  /// Copies of the weights' size that must survive from step to step, for complete fields.
  [[nodiscard]] virtual int slots(const Fields& fields) const = 0;
  /// How each slot follows when a reshape scales a weight's gradients by a: by a^power. One entry a
  /// slot, the longest list that slots() can ask for.
  [[nodiscard]] virtual std::span<const int> slot_powers() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Update<float>> bind(const Fields& fields, float) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Update<double>> bind(const Fields& fields,
                                                             double) const = 0;
};

/// Implements both bind() overloads through a template U<T> constructible from Fields.
template <template <class> class U>
class OptimizerOf : public Optimizer {
 public:
  [[nodiscard]] std::unique_ptr<Update<float>> bind(const Fields& fields, float) const override {
    return std::make_unique<U<float>>(fields);
  }
  [[nodiscard]] std::unique_ptr<Update<double>> bind(const Fields& fields, double) const override {
    return std::make_unique<U<double>>(fields);
  }
};

/// The registry: every kind, and the one behind a word, also of late or stale gradients
/// (late.h, stale.h; throws SpecError naming the nearest known kind).
[[nodiscard]] std::span<const Optimizer* const> optimizers();
[[nodiscard]] const Optimizer& optimizer_of(std::string_view kind);

/// The entry behind such a word; null for an unknown one.
[[nodiscard]] const Optimizer* find_optimizer(std::string_view kind);

/// What an optimizer has whose only slot is a velocity, if it has momentum.
inline constexpr std::array<int, 1> kVelocitySlotPowers{1};
[[nodiscard]] inline int velocity_slots(const Fields& fields) {
  return real(fields, "momentum") != 0 ? 1 : 0;
}

/// The fields that several optimizers share.
[[nodiscard]] FieldInfo lr_field(double value);
/// A real in [0, 1).
[[nodiscard]] FieldInfo decay_field(std::string name, double value, std::string doc);
[[nodiscard]] FieldInfo momentum_field(double value = 0);
[[nodiscard]] FieldInfo epsilon_field(double value = 1e-8);
[[nodiscard]] FieldInfo weight_decay_field();
[[nodiscard]] FieldInfo decoupled_decay_field(double value);

}  // namespace nn
