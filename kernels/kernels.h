#pragma once
// The arithmetic that networks are made of, as one table of plain functions on raw views.
//
// A table exists per scalar type and kind of device: `ref_kernels<double>()` and
// `ref_kernels<float>()` are simple loops and the oracle that every other table is tested against;
// `cpu_kernels()` is the fast float table. Layers call only through a table, so that the same layer
// code runs wherever its pointers live.
//
// Conventions. Matrices are row-major. Images are NHWC. Dense weights are [in, out]; convolution
// weights are [out, kernel_h, kernel_w, in]. Pointers never alias unless an argument is called
// inout. Sums run in an order that depends on the shape alone, so equal inputs give equal bits on
// the same kind of device. Nothing here allocates after the first call with a shape, starts a
// thread, or throws once its arguments were checked by the caller.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kern {

enum class Activation : std::uint8_t { none, relu, tanh };

/// Where a kernel runs and what it may use besides its arguments. One per worker; not thread-safe.
struct Exec {
  void* stream = nullptr;  ///< CUDA stream of the worker, null on a CPU
  std::byte* scratch =
      nullptr;  ///< temporary memory, 64-byte aligned, contents undefined between calls
  std::size_t scratch_bytes = 0;  ///< bytes behind `scratch`; see Kernels::conv_scratch
};

/// Geometry of a 2-D convolution or pooling over NHWC images.
struct Window {
  int batch = 0, in_h = 0, in_w = 0, in_c = 0;
  int out_h = 0, out_w = 0, out_c = 0;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int pad_h = 0, pad_w = 0;
};

/// C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C; ld* are row strides in elements.
template <class T>
struct GemmArgs {
  bool trans_a = false, trans_b = false;
  int m = 0, n = 0, k = 0;
  T alpha = 1;
  const T* a = nullptr;
  int lda = 0;
  const T* b = nullptr;
  int ldb = 0;
  T beta = 0;
  T* c = nullptr;
  int ldc = 0;
};

/// Rows of a stored table become a batch: out[i, f] = (src[rows[i], f] - shift[f]) * scale[f].
/// Exactly one of `u8` and `f32` is set. `shift` and `scale` hold `cols` values.
template <class T>
struct GatherArgs {
  const std::uint8_t* u8 = nullptr;
  const float* f32 = nullptr;
  const std::uint32_t* rows = nullptr;
  int count = 0, cols = 0;
  const float* shift = nullptr;
  const float* scale = nullptr;
  T* out = nullptr;  ///< [count, cols]
};

/// What a loss leaves behind: sums over the rows, so that shards and batches can be added.
struct LossSums {
  double loss = 0;           ///< sum over rows of the row's loss
  std::int64_t correct = 0;  ///< rows whose largest logit is the label (classification only)
};

/// Momentum as PyTorch defines it: g += weight_decay w; velocity = momentum velocity + g; w -= lr
/// velocity.
template <class T>
struct SgdArgs {
  std::size_t count = 0;
  T* weights = nullptr;         ///< inout
  const T* gradient = nullptr;  ///< already the mean over the batch
  T* velocity = nullptr;        ///< inout; null when momentum is 0
  double lr = 0, momentum = 0, weight_decay = 0;
};

/// Adam (Kingma & Ba 2015, algorithm 1), weight decay added to the gradient. `step` counts from 1
/// and corrects the bias. Hyperparameters are doubles for every T: 1 - beta2 would lose its digits
/// in a float.
template <class T>
struct AdamArgs {
  std::size_t count = 0;
  T* weights = nullptr;  ///< inout
  const T* gradient = nullptr;
  T* m = nullptr;  ///< inout
  T* v = nullptr;  ///< inout
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  std::int64_t step = 1;
};

/// RMSprop as PyTorch defines it: v = alpha v + (1 - alpha) g^2; w -= lr g / (sqrt(v) + epsilon),
/// with momentum through `velocity` when it is not null.
template <class T>
struct RmspropArgs {
  std::size_t count = 0;
  T* weights = nullptr;  ///< inout
  const T* gradient = nullptr;
  T* v = nullptr;         ///< inout
  T* velocity = nullptr;  ///< inout; null when momentum is 0
  double lr = 0, alpha = 0.99, epsilon = 1e-8, momentum = 0, weight_decay = 0;
};

/// One implementation of every kernel for one scalar type.
template <class T>
struct Kernels {
  std::string_view name;  ///< "ref", "cpu"; part of the arithmetic fingerprint

  void (*gemm)(Exec&, const GemmArgs<T>&);
  /// y[rows, cols] = act(y + bias), inout; `bias` may be null.
  void (*bias_activation)(Exec&, int rows, int cols, const T* bias, Activation, T* y);
  /// dy := dy * act'(y) in place, with act' expressed through the output y; dbias[cols] = column
  /// sums of the new dy (skipped when null).
  void (*activation_backward)(Exec&, int rows, int cols, Activation, const T* y, T* dy, T* dbias);

  /// y = act(conv(x, w) + bias). x [batch,in_h,in_w,in_c], w [out_c,kernel_h,kernel_w,in_c], y
  /// [batch,out_h,out_w,out_c].
  void (*conv_forward)(Exec&, const Window&, const T* x, const T* w, const T* bias, Activation,
                       T* y);
  /// dx = gradient of conv with respect to x, given dy with respect to the convolution's sum
  /// (before the activation).
  void (*conv_backward_data)(Exec&, const Window&, const T* dy, const T* w, T* dx);
  /// dw = gradient of conv with respect to w.
  void (*conv_backward_weights)(Exec&, const Window&, const T* x, const T* dy, T* dw);
  /// Bytes of Exec::scratch that the three convolutions need for this geometry.
  std::size_t (*conv_scratch)(const Window&);

  /// y = maximum over each window (a NaN wins); `argmax` [batch,out_h,out_w,out_c] keeps the
  /// position inside the window, row by row (first one on ties). Windows hold at most 255
  /// positions, each at least one that is not padding.
  void (*maxpool_forward)(Exec&, const Window&, const T* x, T* y, std::uint8_t* argmax);
  /// dx (overwritten) receives each dy at its argmax.
  void (*maxpool_backward)(Exec&, const Window&, const T* dy, const std::uint8_t* argmax, T* dx);

  /// Softmax cross entropy. dlogits = (softmax - onehot) * gradient_scale, or untouched when null.
  /// A row with a NaN or infinite logit gives a NaN loss and a row of NaN gradients, and is never
  /// correct.
  LossSums (*softmax_cross_entropy)(Exec&, int rows, int classes, const T* logits,
                                    const std::int32_t* labels, T gradient_scale, T* dlogits);
  /// Row loss = mean over columns of (prediction - target)^2; dprediction = 2 (prediction - target)
  /// / cols * gradient_scale, or untouched when null.
  LossSums (*mean_squared_error)(Exec&, int rows, int cols, const T* prediction,
                                 const float* target, T gradient_scale, T* dprediction);

  void (*gather)(Exec&, const GatherArgs<T>&);
  /// dst[i] += src[i].
  void (*accumulate)(Exec&, std::size_t count, const T* src, T* dst);
  void (*sgd)(Exec&, const SgdArgs<T>&);
  void (*adam)(Exec&, const AdamArgs<T>&);
  void (*rmsprop)(Exec&, const RmspropArgs<T>&);
};

/// The oracle: scalar loops, for float and double.
template <class T>
[[nodiscard]] const Kernels<T>& ref_kernels();
extern template const Kernels<float>& ref_kernels<float>();
extern template const Kernels<double>& ref_kernels<double>();

/// The fast float table of this processor: OpenBLAS, oneDNN and vector code, one thread a call.
[[nodiscard]] const Kernels<float>& cpu_kernels();

/// Prepares the calling thread for arithmetic: denormals flushed to zero, BLAS and OpenMP held to
/// one thread. Every thread that calls a kernel calls this once first; cheap to repeat.
void prepare_thread();

/// Names the arithmetic of this process: libraries with versions, instruction set, table. Equal
/// strings promise equal bits for equal inputs.
[[nodiscard]] std::string_view fingerprint();

/// What `doctor` shows: OpenBLAS's core name, vector width in use, and a remedy when the library
/// picked a slow core (empty when all is well).
struct CpuReport {
  std::string_view blas_core, instruction_set, remedy;
};
[[nodiscard]] CpuReport cpu_report();

/// The value of OPENBLAS_CORETYPE that cures a wrong detection, or empty. It must be in the
/// environment before the process starts, so a main() that gets one sets it and runs itself again.
[[nodiscard]] std::string_view blas_coretype_cure();

}  // namespace kern
