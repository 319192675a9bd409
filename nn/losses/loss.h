#pragma once
// What a kind of loss is: one object per kind, listed in registry.cpp.

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/kernels.h"
#include "nn/fields.h"
#include "nn/hyper.h"

namespace nn {

/// What the outputs of some rows are compared with; the member that belongs to the loss's
/// TargetKind is set.
struct Target {
  const std::int32_t* labels = nullptr;  ///< [rows]
  const float* numbers = nullptr;        ///< [rows, outputs]
};

class Loss {
 public:
  virtual ~Loss() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  [[nodiscard]] virtual TargetKind target() const = 0;

  /// Sums over the rows of the row's loss; `d_out` receives gradient_scale times each row's
  /// gradient with respect to its outputs, or is null.
  virtual kern::LossSums run(const kern::Kernels<float>& kernels, kern::Exec& exec, int rows,
                             int outputs, const float* out, const Target& target,
                             float gradient_scale, float* d_out) const = 0;
  virtual kern::LossSums run(const kern::Kernels<double>& kernels, kern::Exec& exec, int rows,
                             int outputs, const double* out, const Target& target,
                             double gradient_scale, double* d_out) const = 0;
};

/// The arguments of one run().
template <class T>
struct LossPass {
  const kern::Kernels<T>& kernels;
  kern::Exec& exec;
  int rows = 0, outputs = 0;
  const T* out = nullptr;
  const Target& target;
  T gradient_scale = 0;
  T* d_out = nullptr;
};

/// Implements both run() overloads through a template `static kern::LossSums sums(const
/// LossPass<T>&)` of the kind.
template <class Kind>
class LossOf : public Loss {
 public:
  kern::LossSums run(const kern::Kernels<float>& kernels, kern::Exec& exec, int rows, int outputs,
                     const float* out, const Target& target, float gradient_scale,
                     float* d_out) const override {
    return Kind::sums(
        LossPass<float>{kernels, exec, rows, outputs, out, target, gradient_scale, d_out});
  }
  kern::LossSums run(const kern::Kernels<double>& kernels, kern::Exec& exec, int rows, int outputs,
                     const double* out, const Target& target, double gradient_scale,
                     double* d_out) const override {
    return Kind::sums(
        LossPass<double>{kernels, exec, rows, outputs, out, target, gradient_scale, d_out});
  }
};

/// The registry: every kind, and the one behind a word (throws SpecError naming the nearest known
/// kind).
[[nodiscard]] std::span<const Loss* const> losses();
[[nodiscard]] const Loss& loss_of(std::string_view kind);

}  // namespace nn
