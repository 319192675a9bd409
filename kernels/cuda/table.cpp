#include "kernels/cuda/table.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/functions.h"
#include "kernels/cuda/temporary.h"
#include "kernels/feed.h"

namespace kern::KERN_ON {
namespace {

/// Page-locked; who writes there follows pointers.
constexpr Memory kStaging{.own = true,
                          .allocate = driver::allocate_staging,
                          .release = driver::release_staging,
                          .put = nullptr,
                          .get = nullptr,
                          .zero = nullptr};

constexpr Feed kFeed{.staging = &kStaging,
                     .begin = driver::begin_copy,
                     .arrived = driver::copy_arrived,
                     .given_back = driver::copy_given_back,
                     .vacated = driver::copy_vacated};

constexpr Recorder kRecorder{.begin = driver::begin_recording,
                             .end = driver::end_recording,
                             .run = driver::run_recording,
                             .release = driver::release_recording,
                             .generation = Temporary::generation};

constexpr DeviceMemory kMemory{{.own = false,
                                .allocate = driver::allocate,
                                .release = driver::release,
                                .put = driver::to_device,
                                .get = driver::to_host,
                                .zero = driver::zero},
                               &kFeed,
                               &kRecorder};

template <Precision kPrecision>
const Kernels<float>& table_of() {
  static const Kernels<float> table{
      .name = "cuda",
      .memory = &kMemory,
      .precision = kPrecision,
      .gemm = gemm<kPrecision>,
      .bias_activation = bias_activation,
      .activate = activate,
      .activation_backward = activation_backward,
      .conv_forward = conv_forward<kPrecision>,
      .conv_backward_data = conv_backward_data<kPrecision>,
      .conv_backward_weights = conv_backward_weights<kPrecision>,
      .conv_scratch = conv_scratch,
      .maxpool_forward = maxpool_forward,
      .maxpool_backward = maxpool_backward,
      .column_moments = column_moments,
      .batch_norm_forward = batch_norm_forward,
      .batch_norm_backward = batch_norm_backward,
      .add_activation = add_activation,
      .layer_norm_forward = layer_norm_forward,
      .layer_norm_backward = layer_norm_backward,
      .avgpool_forward = avgpool_forward,
      .avgpool_backward = avgpool_backward,
      .dropout_forward = dropout_forward,
      .dropout_backward = dropout_backward,
      .softmax_cross_entropy = softmax_cross_entropy,
      .binary_cross_entropy = binary_cross_entropy,
      .mean_squared_error = mean_squared_error,
      .mean_absolute_error = mean_absolute_error,
      .huber = huber,
      .gather = gather,
      .gather_images = gather_images,
      .copy_rows = copy_rows,
      .accumulate = accumulate,
      .scaled_copy = scaled_copy,
      .blend = blend,
      .sgd = sgd,
      .adam = adam,
      .adam_columns = adam_columns,
      .rmsprop = rmsprop,
      .lars = lars,
      .lamb = lamb,
      .sum_squares = sum_squares,
      .unit_squares = unit_squares,
      .scale_units = scale_units,
      .regroup = regroup,
      .set_units = set_units,
      .algebra = nullptr,
  };
  return table;
}

}  // namespace

const Kernels<float>& kernels(Precision precision) {
  switch (precision) {
    case Precision::f32:
      break;
    case Precision::bf16:
      return table_of<Precision::bf16>();
    case Precision::tf32:
      return table_of<Precision::tf32>();
  }
  return table_of<Precision::f32>();
}

}  // namespace kern::KERN_ON
