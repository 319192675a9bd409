#pragma once
// What a kind of loss is: one object per kind, listed in registry.cpp.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/fields.h"
#include "nn/training/hyper.h"

namespace nn {

/// What the outputs of some rows are compared with; the member that belongs to the loss's
/// TargetKind is set.
struct Target {
  const std::int32_t* labels = nullptr;  ///< [rows]
  const float* numbers = nullptr;        ///< [rows, outputs]
};

/// The outputs of some rows, and where their gradient goes.
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

/// A loss with its fields read out, ready for any number of passes; any thread.
template <class T>
class LossFunction {
 public:
  virtual ~LossFunction() = default;
  /// Sums over the rows of the row's loss; `d_out` receives gradient_scale times each row's
  /// gradient with respect to its outputs, or is null. Allocates nothing.
  [[nodiscard]] virtual kern::LossSums run(const LossPass<T>& pass) const = 0;
};

class Loss {
 public:
  virtual ~Loss() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  [[nodiscard]] virtual TargetKind target() const = 0;
  /// Numbers that a network puts out for data with that many classes or numbers. Throws SpecError
  /// for data that the loss is not for.
  [[nodiscard]] virtual std::int64_t outputs(std::int64_t of_data) const { return of_data; }
  /// For complete fields; `class_weights` has one weight a class, or is empty: all are 1.
  [[nodiscard]] virtual std::unique_ptr<LossFunction<float>> bind(
      const Fields& fields, std::span<const float> class_weights, float) const = 0;
  [[nodiscard]] virtual std::unique_ptr<LossFunction<double>> bind(
      const Fields& fields, std::span<const float> class_weights, double) const = 0;
};

/// Implements both bind() overloads through a template F<T> constructible from fields and weights.
template <template <class> class F>
class LossOf : public Loss {
 public:
  [[nodiscard]] std::unique_ptr<LossFunction<float>> bind(const Fields& fields,
                                                          std::span<const float> class_weights,
                                                          float) const override {
    return std::make_unique<F<float>>(fields, class_weights);
  }
  [[nodiscard]] std::unique_ptr<LossFunction<double>> bind(const Fields& fields,
                                                           std::span<const float> class_weights,
                                                           double) const override {
    return std::make_unique<F<double>>(fields, class_weights);
  }
};

/// The registry: every kind, and the one behind a word (throws SpecError naming the nearest known
/// kind).
[[nodiscard]] std::span<const Loss* const> losses();
[[nodiscard]] const Loss& loss_of(std::string_view kind);

/// The loss of a training or scoring on that data: class weights follow its training part.
template <class T>
[[nodiscard]] std::unique_ptr<LossFunction<T>> loss_function(const Choice& loss,
                                                             const DataView& data);

/// One weight a class for a complete loss: none, when all are 1. `balanced`: training rows /
/// (classes that have some * the class's rows), so that every class counts alike and a row 1 on
/// average; listed: as listed, 1 for classes that are not. Throws base::Error (study) for a name
/// that is no class, and where the data does not say what is needed.
[[nodiscard]] std::vector<float> class_weights(const Choice& loss, const DataView& data);

/// The same loss with class weights that follow the training part written out by name: it means the
/// same on data without one.
[[nodiscard]] Choice written_out(const Choice& loss, const DataView& data);

/// The fields that losses for classes share.
[[nodiscard]] FieldInfo class_weights_field();
[[nodiscard]] FieldInfo label_smoothing_field();

extern template std::unique_ptr<LossFunction<float>> loss_function(const Choice&, const DataView&);
extern template std::unique_ptr<LossFunction<double>> loss_function(const Choice&, const DataView&);

}  // namespace nn
