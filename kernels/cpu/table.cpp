// The fast float table of each instruction set, and the choice among libraries and our own code.

#include <algorithm>

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/gemm_library.h"
#include "kernels/cpu/onednn_conv.h"
#include "kernels/cpu/vector/vector.h"

namespace kern {
namespace cpu {
namespace {

template <auto Own>
void gemm(Exec& exec, const GemmArgs<float>& g) {
  switch (gemm_choice(g)) {
    case GemmLibrary::own: return Own(exec, g);
    case GemmLibrary::openblas: return openblas_gemm(g);
    case GemmLibrary::onednn: return onednn_gemm(g);
  }
}

template <auto BiasActivation>
void conv_forward(Exec& exec, const Window& g, const float* x, const float* w, const float* bias, Activation act,
                  float* y) {
  if (g.batch == 0) return;
  // oneDNN's own ReLU turns a NaN into 0, which would hide that a network diverged.
  onednn_conv_forward(exec, g, x, w, bias, y);
  if (act != Activation::none) BiasActivation(exec, g.batch * g.out_h * g.out_w, g.out_c, nullptr, act, y);
}

void conv_backward_data(Exec& exec, const Window& g, const float* dy, const float* w, float* dx) {
  if (g.batch > 0) onednn_conv_backward_data(exec, g, dy, w, dx);
}

void conv_backward_weights(Exec& exec, const Window& g, const float* x, const float* dy, float* dw) {
  if (g.batch > 0) onednn_conv_backward_weights(exec, g, x, dy, dw);
  else std::fill_n(dw, std::size_t(g.out_c) * g.kernel_h * g.kernel_w * g.in_c, 0.0f);
}

std::size_t conv_scratch(const Window& g) {
  return g.batch > 0 ? onednn_conv_scratch(g) : 0;
}

#define KERN_TABLE(isa)                                                                              \
  Kernels<float> {                                                                                   \
    .name = "cpu", .gemm = gemm<isa::gemm>, .bias_activation = isa::bias_activation,                 \
    .activation_backward = isa::activation_backward, .conv_forward = conv_forward<isa::bias_activation>, \
    .conv_backward_data = conv_backward_data, .conv_backward_weights = conv_backward_weights,        \
    .conv_scratch = conv_scratch, .maxpool_forward = isa::maxpool_forward,                           \
    .maxpool_backward = isa::maxpool_backward, .softmax_cross_entropy = isa::softmax_cross_entropy,  \
    .mean_squared_error = isa::mean_squared_error, .gather = isa::gather, .accumulate = isa::accumulate, \
    .sgd = isa::sgd, .adam = isa::adam, .rmsprop = isa::rmsprop                                      \
  }

}  // namespace

const Kernels<float>& table(Isa isa) {
  static constexpr Kernels<float> tables[] = {KERN_TABLE(plain), KERN_TABLE(avx2), KERN_TABLE(avx512)};
  return tables[static_cast<int>(isa)];
}

}  // namespace cpu

const Kernels<float>& cpu_kernels() {
  return cpu::table(cpu::chosen_isa());
}

}  // namespace kern
