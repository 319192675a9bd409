// The fast float table of each instruction set, and the choice among libraries and our own code.

#include <algorithm>
#include <iterator>

#include "kernels/cpu/algebra.h"
#include "kernels/cpu/conv_choice.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/gemm_library.h"
#include "kernels/cpu/onednn_conv.h"
#include "kernels/cpu/regroup.h"
#include "kernels/cpu/vector/vector.h"
#include "kernels/enum_count.h"
#include "kernels/ref/ref.h"

namespace kern {
namespace cpu {
namespace {

template <Isa isa, auto Own>
void gemm(Exec& exec, const GemmArgs<float>& g) {
  gemm_choice(isa, g) == GemmLibrary::own ? Own(exec, g) : onednn_gemm(g);
}

// oneDNN's own ReLU turns a NaN into 0, which would hide that a network diverged; so the activation
// comes after.
template <auto Own, auto BiasActivation>
void conv_forward(Exec& exec, const Window& g, const float* x, const float* w, const float* bias,
                  Activation act, float* y) {
  if (g.batch == 0) return;
  if (!onednn_is_faster(ConvStep::forward, g)) return Own(exec, g, x, w, bias, act, y);
  onednn_conv_forward(exec, g, x, w, bias, y);
  if (act != Activation::none)
    BiasActivation(exec, g.batch * g.out_h * g.out_w, g.out_c, nullptr, act, y);
}

template <auto Own>
void conv_backward_data(Exec& exec, const Window& g, const float* dy, const float* w, float* dx) {
  if (g.batch == 0) return;
  onednn_is_faster(ConvStep::backward_data, g) ? onednn_conv_backward_data(exec, g, dy, w, dx)
                                               : Own(exec, g, dy, w, dx);
}

template <auto Own>
void conv_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy,
                           float* dw) {
  g.batch > 0 && onednn_is_faster(ConvStep::backward_weights, g)
      ? onednn_conv_backward_weights(exec, g, x, dy, dw)
      : Own(exec, g, x, dy, dw);
}

template <auto Own>
std::size_t conv_scratch(const Window& g) {
  std::size_t bytes = Own(g);
  for (const ConvStep step :
       {ConvStep::forward, ConvStep::backward_data, ConvStep::backward_weights})
    if (g.batch > 0 && onednn_is_faster(step, g))
      bytes = std::max(bytes, onednn_conv_scratch(step, g));
  return bytes;
}

constexpr LinearAlgebra kAlgebra{
    .add_gram = add_gram, .solve_positive = solve_positive, .eigen_symmetric = eigen_symmetric};

// A table whose products and convolutions are given and whose rest is the vector code of `isa`.
#define KERN_TABLE(isa, product, forward, backward_data, backward_weights, scratch)              \
  Kernels<float> {                                                                               \
    .name = "cpu", .memory = &kOwnMemory, .gemm = product,                                       \
    .bias_activation = isa::bias_activation, .activate = isa::activate,                          \
    .activation_backward = isa::activation_backward, .conv_forward = forward,                    \
    .conv_backward_data = backward_data, .conv_backward_weights = backward_weights,              \
    .conv_scratch = scratch, .maxpool_forward = isa::maxpool_forward,                            \
    .maxpool_backward = isa::maxpool_backward, .column_moments = isa::column_moments,            \
    .batch_norm_forward = isa::batch_norm_forward,                                               \
    .batch_norm_backward = isa::batch_norm_backward, .add_activation = isa::add_activation,      \
    .layer_norm_forward = isa::layer_norm_forward,                                               \
    .layer_norm_backward = isa::layer_norm_backward, .avgpool_forward = isa::avgpool_forward,    \
    .avgpool_backward = isa::avgpool_backward, .dropout_forward = isa::dropout_forward,          \
    .dropout_backward = isa::dropout_backward,                                                   \
    .softmax_cross_entropy = isa::softmax_cross_entropy,                                         \
    .binary_cross_entropy = isa::binary_cross_entropy,                                           \
    .mean_squared_error = isa::mean_squared_error,                                               \
    .mean_absolute_error = isa::mean_absolute_error, .huber = isa::huber, .gather = isa::gather, \
    .gather_images = isa::gather_images, .copy_rows = ref::copy_rows,                            \
    .accumulate = isa::accumulate, .scaled_copy = isa::scaled_copy, .blend = isa::blend,         \
    .sgd = isa::sgd, .adam = isa::adam, .adam_columns = isa::adam_columns,                       \
    .rmsprop = isa::rmsprop, .lars = isa::lars, .lamb = isa::lamb,                               \
    .sum_squares = isa::sum_squares, .unit_squares = isa::unit_squares,                          \
    .scale_units = isa::scale_units, .regroup = regroup, .set_units = ref::set_units,            \
    .algebra = &kAlgebra                                                                         \
  }
#define KERN_OWN_TABLE(isa)                                              \
  KERN_TABLE(isa, isa::gemm, isa::conv_forward, isa::conv_backward_data, \
             isa::conv_backward_weights, isa::conv_scratch)
#define KERN_BEST_TABLE(isa)                                          \
  KERN_TABLE(isa, (gemm<Isa::isa, isa::gemm>),                        \
             (conv_forward<isa::conv_forward, isa::bias_activation>), \
             conv_backward_data<isa::conv_backward_data>,             \
             conv_backward_weights<isa::conv_backward_weights>, conv_scratch<isa::conv_scratch>)

#if defined(__x86_64__)
constexpr Kernels<float> kOwnTables[] = {KERN_OWN_TABLE(plain), KERN_OWN_TABLE(avx2),
                                         KERN_OWN_TABLE(avx512)};
constexpr Kernels<float> kBestTables[] = {KERN_BEST_TABLE(plain), KERN_BEST_TABLE(avx2),
                                          KERN_BEST_TABLE(avx512)};
static_assert(std::size(kOwnTables) == enum_count<Isa>() &&
              std::size(kBestTables) == enum_count<Isa>());
#else
constexpr Kernels<float> kOwnTables[] = {KERN_OWN_TABLE(plain)};
constexpr Kernels<float> kBestTables[] = {KERN_BEST_TABLE(plain)};
#endif

}  // namespace

const Kernels<float>& table(Isa isa) { return kBestTables[static_cast<int>(isa)]; }

const Kernels<float>& own_table(Isa isa) { return kOwnTables[static_cast<int>(isa)]; }

const Kernels<float>& bf16_table() {
  static const Kernels<float> rounding = [] {
    Kernels<float> made = table(Isa::avx512);
#if defined(KERN_BF16)
    made.precision = Precision::bf16;
    made.gemm = avx512bf16::gemm;
#endif
    return made;
  }();
  return rounding;
}

}  // namespace cpu

const Kernels<float>& cpu_kernels(Precision precision) {
  return precision == Precision::bf16 ? cpu::bf16_table() : cpu::table(cpu::chosen_isa());
}

}  // namespace kern
