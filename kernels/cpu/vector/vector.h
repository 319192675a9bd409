#pragma once
// What the vector sources of this folder define, once in each instruction set's namespace.
// Contracts: kernels/kernels.h. Call a namespace's functions only where the processor has that
// instruction set.

#include "kernels/kernels.h"

#define KERN_VECTOR_FUNCTIONS                                                                   \
  void gemm(Exec&, const GemmArgs<float>&);                                                     \
  void bias_activation(Exec&, int rows, int cols, const float* bias, Activation, float* y);     \
  void activate(Exec&, std::size_t count, Activation, const float* x, float* y);                \
  void activation_backward(Exec&, int rows, int cols, Activation, const float* y, float* dy,    \
                           float* dbias);                                                       \
  void conv_forward(Exec&, const Window&, const float* x, const float* w, const float* bias,    \
                    Activation, float* y);                                                      \
  void conv_backward_data(Exec&, const Window&, const float* dy, const float* w, float* dx);    \
  void conv_backward_weights(Exec&, const Window&, const float* x, const float* dy, float* dw); \
  std::size_t conv_scratch(const Window&);                                                      \
  void maxpool_forward(Exec&, const Window&, const float* x, float* y, std::uint8_t* argmax);   \
  void maxpool_backward(Exec&, const Window&, const float* dy, const std::uint8_t* argmax,      \
                        float* dx);                                                             \
  void column_moments(Exec&, int rows, int cols, const float* x, float* mean, float* variance); \
  void batch_norm_forward(Exec&, const BatchNormArgs<float>&);                                  \
  void batch_norm_backward(Exec&, const BatchNormGradientArgs<float>&);                         \
  void add_activation(Exec&, int rows, int cols, const float* a, const float* b, Activation,    \
                      float* y);                                                                \
  void layer_norm_forward(Exec&, const LayerNormArgs<float>&);                                  \
  void layer_norm_backward(Exec&, const LayerNormGradientArgs<float>&);                         \
  void avgpool_forward(Exec&, const Window&, const float* x, float* y);                         \
  void avgpool_backward(Exec&, const Window&, const float* dy, float* dx);                      \
  void dropout_forward(Exec&, const DropoutArgs<float>&);                                       \
  void dropout_backward(Exec&, std::size_t count, double rate, const std::uint8_t* kept,        \
                        const float* dy, float* dx);                                            \
  LossSums softmax_cross_entropy(Exec&, const CrossEntropyArgs<float>&);                        \
  LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<float>&);                   \
  LossSums mean_squared_error(Exec&, const DifferenceLossArgs<float>&);                         \
  LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<float>&);                        \
  LossSums huber(Exec&, const DifferenceLossArgs<float>&);                                      \
  void gather(Exec&, const GatherArgs<float>&);                                                 \
  void gather_images(Exec&, const GatherImagesArgs<float>&);                                    \
  void accumulate(Exec&, std::size_t count, const float* src, float* dst);                      \
  void scaled_copy(Exec&, std::size_t count, float factor, const float* src, float* dst);       \
  void blend(Exec&, std::size_t count, float rate, const float* src, float* dst);               \
  void sgd(Exec&, const SgdArgs<float>&);                                                       \
  void adam(Exec&, const AdamArgs<float>&);                                                     \
  void adam_columns(Exec&, const AdamColumnsArgs<float>&);                                      \
  void rmsprop(Exec&, const RmspropArgs<float>&);                                               \
  void lars(Exec&, const LarsArgs<float>&);                                                     \
  void lamb(Exec&, const LambArgs<float>&);                                                     \
  double sum_squares(Exec&, std::size_t count, const float* x);                                 \
  void unit_squares(Exec&, const UnitBlock&, const float* x, float* squares);                   \
  void scale_units(Exec&, const UnitBlock&, const float* factor, float* x);

namespace kern::cpu {
namespace plain {
KERN_VECTOR_FUNCTIONS
}
namespace avx2 {
KERN_VECTOR_FUNCTIONS
}
namespace avx512 {
KERN_VECTOR_FUNCTIONS
}
namespace avx512bf16 {
/// Of operands rounded to bf16.
void gemm(Exec&, const GemmArgs<float>&);
}  // namespace avx512bf16
}  // namespace kern::cpu

#undef KERN_VECTOR_FUNCTIONS
