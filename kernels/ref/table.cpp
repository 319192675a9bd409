#include "kernels/ref/ref.h"

namespace kern {
namespace {

std::size_t no_scratch(const Window&) { return 0; }

}  // namespace

template <class T>
const Kernels<T>& ref_kernels() {
  static const Kernels<T> table{
      .name = "ref",
      .gemm = ref::gemm<T>,
      .bias_activation = ref::bias_activation<T>,
      .activation_backward = ref::activation_backward<T>,
      .conv_forward = ref::conv_forward<T>,
      .conv_backward_data = ref::conv_backward_data<T>,
      .conv_backward_weights = ref::conv_backward_weights<T>,
      .conv_scratch = no_scratch,
      .maxpool_forward = ref::maxpool_forward<T>,
      .maxpool_backward = ref::maxpool_backward<T>,
      .softmax_cross_entropy = ref::softmax_cross_entropy<T>,
      .mean_squared_error = ref::mean_squared_error<T>,
      .gather = ref::gather<T>,
      .accumulate = ref::accumulate<T>,
      .sgd = ref::sgd<T>,
      .adam = ref::adam<T>,
      .rmsprop = ref::rmsprop<T>,
  };
  return table;
}

template const Kernels<float>& ref_kernels<float>();
template const Kernels<double>& ref_kernels<double>();

}  // namespace kern
