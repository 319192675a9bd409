#include "kernels/ref/ref.h"

namespace kern {
namespace {

std::size_t no_scratch(const Window&) { return 0; }

constexpr LinearAlgebra kAlgebra{.add_gram = ref::add_gram,
                                 .solve_positive = ref::solve_positive,
                                 .eigen_symmetric = ref::eigen_symmetric};

/// The table of f32 with another product.
template <class T>
Kernels<T> rounding_table(const Kernels<T>& f32, Precision precision,
                          void (*product)(Exec&, const GemmArgs<T>&)) {
  Kernels<T> table = f32;
  table.precision = precision;
  table.gemm = product;
  return table;
}

template <class T>
const Kernels<T>& ref_f32() {
  static const Kernels<T> table{
      .name = "ref",
      .memory = &kOwnMemory,
      .gemm = ref::gemm<T>,
      .bias_activation = ref::bias_activation<T>,
      .activate = ref::activate<T>,
      .activation_backward = ref::activation_backward<T>,
      .conv_forward = ref::conv_forward<T>,
      .conv_backward_data = ref::conv_backward_data<T>,
      .conv_backward_weights = ref::conv_backward_weights<T>,
      .conv_scratch = no_scratch,
      .maxpool_forward = ref::maxpool_forward<T>,
      .maxpool_backward = ref::maxpool_backward<T>,
      .column_moments = ref::column_moments<T>,
      .batch_norm_forward = ref::batch_norm_forward<T>,
      .batch_norm_backward = ref::batch_norm_backward<T>,
      .add_activation = ref::add_activation<T>,
      .layer_norm_forward = ref::layer_norm_forward<T>,
      .layer_norm_backward = ref::layer_norm_backward<T>,
      .avgpool_forward = ref::avgpool_forward<T>,
      .avgpool_backward = ref::avgpool_backward<T>,
      .dropout_forward = ref::dropout_forward<T>,
      .dropout_backward = ref::dropout_backward<T>,
      .softmax_cross_entropy = ref::softmax_cross_entropy<T>,
      .binary_cross_entropy = ref::binary_cross_entropy<T>,
      .mean_squared_error = ref::mean_squared_error<T>,
      .mean_absolute_error = ref::mean_absolute_error<T>,
      .huber = ref::huber<T>,
      .gather = ref::gather<T>,
      .gather_images = ref::gather_images<T>,
      .copy_rows = ref::copy_rows,
      .accumulate = ref::accumulate<T>,
      .scaled_copy = ref::scaled_copy<T>,
      .blend = ref::blend<T>,
      .sgd = ref::sgd<T>,
      .adam = ref::adam<T>,
      .adam_columns = ref::adam_columns<T>,
      .rmsprop = ref::rmsprop<T>,
      .lars = ref::lars<T>,
      .lamb = ref::lamb<T>,
      .sum_squares = ref::sum_squares<T>,
      .unit_squares = ref::unit_squares<T>,
      .scale_units = ref::scale_units<T>,
      .regroup = ref::regroup<T>,
      .set_units = ref::set_units<T>,
      .algebra = &kAlgebra,
  };
  return table;
}

template <class T, Precision precision>
const Kernels<T>& ref_rounding() {
  static const Kernels<T> table =
      rounding_table(ref_f32<T>(), precision, ref::gemm_of_rounded<T, precision>);
  return table;
}

}  // namespace

template <class T>
const Kernels<T>& ref_kernels(Precision precision) {
  switch (precision) {
    case Precision::f32:
      break;
    case Precision::bf16:
      return ref_rounding<T, Precision::bf16>();
    case Precision::tf32:
      return ref_rounding<T, Precision::tf32>();
  }
  return ref_f32<T>();
}

template const Kernels<float>& ref_kernels<float>(Precision);
template const Kernels<double>& ref_kernels<double>(Precision);

}  // namespace kern
