#pragma once
// The activation at the end of a layer, for the operations that have one.
//
// Most slopes follow from the output, so a layer's kernel applies the activation at once and
// nothing else is kept. The slope of gelu does not: a network planned for training keeps the sums
// that it is taken of, and turns them into outputs in a step of their own.

#include <cstddef>
#include <cstdint>

#include "nn/layers/layer.h"

namespace nn {

template <class T>
class Activating {
 public:
  /// For a layer that puts out `elements` numbers a row. Of the layer's saved memory, what is kept
  /// here lies behind the first `saved_before` bytes (a multiple of 64).
  Activating(kern::Activation activation, std::int64_t elements, const LayerPlan<T>& plan,
             std::size_t saved_before = 0)
      : activation_(activation),
        keeps_(activation == kern::Activation::gelu && plan.use == Use::training),
        saved_before_(saved_before),
        saved_bytes_(keeps_ ? static_cast<std::size_t>(plan.max_rows) *
                                  static_cast<std::size_t>(elements) * sizeof(T)
                            : 0) {}

  [[nodiscard]] bool output_in_backward() const {
    return activation_ != kern::Activation::none && !keeps_;
  }
  [[nodiscard]] std::size_t saved_bytes() const { return saved_bytes_; }

  /// What the layer's kernel applies, and where it writes.
  [[nodiscard]] kern::Activation at_once() const {
    return keeps_ ? kern::Activation::none : activation_;
  }
  [[nodiscard]] T* target(const LayerPass<T>& p) const { return keeps_ ? sums(p) : p.y; }

  /// Behind the layer's kernel: what is left to do for `count` outputs.
  void finish(const LayerPass<T>& p, std::size_t count) const {
    if (keeps_) p.kernels.activate(p.exec, count, activation_, sums(p), p.y);
  }

  /// Turns p.dy [rows, cols] into the gradient before the activation; `dbias` as in the kernel.
  void backward(const LayerPass<T>& p, int rows, int cols, T* dbias) const {
    if (activation_ == kern::Activation::none && dbias == nullptr) return;
    p.kernels.activation_backward(p.exec, rows, cols, activation_, keeps_ ? sums(p) : p.y, p.dy,
                                  dbias);
  }

 private:
  [[nodiscard]] T* sums(const LayerPass<T>& p) const {
    return reinterpret_cast<T*>(p.saved + saved_before_);
  }

  kern::Activation activation_;
  bool keeps_;
  std::size_t saved_before_, saved_bytes_;
};

}  // namespace nn
