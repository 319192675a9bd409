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
// the same kind of device. On a processor the numbers of a row (of an image) depend on that row
// alone, not on how many rows a call has, wherever rows are those of a batch: then answers do not
// depend on how a table is cut into calls. Nothing here allocates after the first call with a
// shape, starts a thread, or throws once its arguments were checked by the caller, but for
// DeviceError and OutOfMemory from a device's table.
//
// A device's table has memory of its own (Kernels::memory), where all that its kernels read and
// write lies, but for what is called a list: short, always in the program's memory, and free to
// change when the call returns. Its kernels run later than they are called, in the order of the
// calls of a thread; what is returned or written to a list is there when the call returns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/precision.h"

namespace kern {

/// gelu is x Phi(x) with the normal distribution function Phi (Hendrycks & Gimpel 2016), not its
/// approximation by a tanh.
enum class Activation : std::uint8_t { none, relu, tanh, sigmoid, gelu };

struct StepBuffer;

/// Where a kernel runs and what it may use besides its arguments. One per worker; not thread-safe.
struct Exec {
  std::byte* scratch =
      nullptr;  ///< temporary memory, 64-byte aligned, contents undefined between calls
  std::size_t scratch_bytes = 0;  ///< bytes behind `scratch`; see Kernels::conv_scratch
  /// The steps of an asynchronous training on a device (step_buffer.h), in its memory. Kernels then
  /// read rows of gathers, moves of images, step and rows of a mask, and an optimizer's numbers
  /// there instead of in their arguments. They add up losses there and return 0. Null: none.
  StepBuffer* step_buffer = nullptr;
};

/// A device refused or lost what it was asked for.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It refuses whatever this program will ask of it from now on.
class DeviceGone : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A device has less memory left than was asked for; what() names both.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Where a table's kernels find their arguments. Calls keep the order of the thread's kernels.
struct Memory {
  bool own = false;  ///< it is the program's own memory: pointers may be followed anywhere
  /// At least 64-byte aligned, contents undefined. Throws std::bad_alloc (a device: OutOfMemory).
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* memory) noexcept;
  /// From the program's memory into this one. `from` is free to change on return.
  void (*put)(void* to, const void* from, std::size_t bytes);
  /// From this memory into the program's, when all kernels called before have ended.
  void (*get)(void* to, const void* from, std::size_t bytes);
  void (*zero)(void* memory, std::size_t bytes);
};

/// The program's own memory.
extern const Memory kOwnMemory;

/// Geometry of a 2-D convolution or pooling over NHWC images. Pooling knows neither dilation nor
/// groups.
struct Window {
  int batch = 0, in_h = 0, in_w = 0, in_c = 0;
  int out_h = 0, out_w = 0, out_c = 0;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int pad_h = 0, pad_w = 0;
  int dilation_h = 1, dilation_w = 1;  ///< pixels from one position of the kernel to the next
  /// Channels are cut into so many equal parts, and part i of the output sees part i of the input
  /// alone: weights are [out_c, kernel_h, kernel_w, in_c / groups].
  int groups = 1;
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
  const std::uint32_t* rows = nullptr;  ///< a list, [count]
  int count = 0, cols = 0;
  const float* shift = nullptr;
  const float* scale = nullptr;
  T* out = nullptr;  ///< [count, cols]
};

/// How an image is moved before a network sees it.
struct ImageMove {
  std::int32_t down = 0, right = 0;  ///< pixels; negative: up, left
  bool mirror = false;               ///< left becomes right, before the move
  bool upside_down = false;          ///< top becomes bottom, before the move
};

/// GatherArgs for images [height, width, channels], each moved by its own `moves` entry. Pixels
/// from beyond the edge are 0 in the table's own numbers; `shift` and `scale` belong to the place
/// where a pixel arrives.
template <class T>
struct GatherImagesArgs {
  GatherArgs<T> rows;
  int height = 0, width = 0, channels = 0;
  const ImageMove* moves = nullptr;  ///< a list, [rows.count]
};

/// Rows of a table of 4-byte words, whatever they mean: out[i, :] = table[rows[i], :].
struct CopyRowsArgs {
  const void* table = nullptr;
  const std::uint32_t* rows = nullptr;  ///< a list, [count]
  int count = 0;
  std::size_t words = 0;  ///< in a row
  void* out = nullptr;    ///< [count, words]
};

/// What a loss leaves behind: sums over the rows, so that shards and batches can be added.
struct LossSums {
  double loss = 0;           ///< sum over rows of the row's loss
  std::int64_t correct = 0;  ///< rows whose largest logit is the label (classification only)
};

/// Cross entropy of the softmax of the logits with a target that is 1 at the label, of which
/// `smoothing` is spread evenly over all classes (Szegedy et al. 2016, section 7). With class
/// weights v, row loss = -sum over c of t[c] log(softmax(z)[c]), where t[c] = v[c] smoothing /
/// classes, and at the label y (1 - smoothing) v[y] more.
template <class T>
struct CrossEntropyArgs {
  int rows = 0, classes = 0;
  const T* logits = nullptr;             ///< [rows, classes]
  const std::int32_t* labels = nullptr;  ///< [rows]
  const float* class_weights = nullptr;  ///< a list, [classes]; null: all 1
  double smoothing = 0;                  ///< 0 <= smoothing < 1
  T gradient_scale = 1;
  T* dlogits = nullptr;  ///< [rows, classes], overwritten; null: not wanted
};

/// The same for two classes and one logit z, that of class 1: with the sigmoid s and the target
/// t = label (1 - smoothing) + smoothing / 2, row loss = -v (t log s(z) + (1 - t) log(1 - s(z))),
/// where v is the label's weight.
template <class T>
struct BinaryCrossEntropyArgs {
  int rows = 0;
  const T* logits = nullptr;             ///< [rows]
  const std::int32_t* labels = nullptr;  ///< [rows], 0 or 1
  const float* class_weights = nullptr;  ///< a list, [2]; null: both 1
  double smoothing = 0;
  T gradient_scale = 1;
  T* dlogits = nullptr;  ///< [rows], overwritten; null: not wanted
};

/// Losses of the difference d = prediction - target: row loss = mean over the columns of f(d),
/// gradient = f'(d) / cols * gradient_scale.
template <class T>
struct DifferenceLossArgs {
  int rows = 0, cols = 0;
  const T* prediction = nullptr;  ///< [rows, cols]
  const float* target = nullptr;  ///< [rows, cols]
  T delta = 1;                    ///< of huber alone
  T gradient_scale = 1;
  T* dprediction = nullptr;  ///< [rows, cols], overwritten; null: not wanted
};

/// Momentum as PyTorch defines it: g += weight_decay w; velocity = momentum velocity + g; w -= lr
/// velocity. Nesterov's goes on from where the momentum leads: w -= lr (g + momentum velocity).
template <class T>
struct SgdArgs {
  std::size_t count = 0;
  T* weights = nullptr;         ///< inout
  const T* gradient = nullptr;  ///< already the mean over the batch
  T* velocity = nullptr;        ///< inout; null when momentum is 0
  double lr = 0, momentum = 0, weight_decay = 0;
  bool nesterov = false;  ///< needs `velocity`
};

/// Adam (Kingma & Ba 2015, algorithm 1), weight decay added to the gradient, or to the step where
/// `keep` is below 1 (Loshchilov & Hutter 2019): a weight is multiplied by it first. `step` counts
/// from 1 and corrects the bias. Hyperparameters are doubles for every T: 1 - beta2 would lose its
/// digits in a float.
template <class T>
struct AdamArgs {
  std::size_t count = 0;
  T* weights = nullptr;  ///< inout
  const T* gradient = nullptr;
  T* m = nullptr;  ///< inout
  T* v = nullptr;  ///< inout
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0, keep = 1;
  std::int64_t step = 1;
};

/// Adam for a matrix whose columns are at different steps: column j has step_size[j] =
/// lr / (1 - beta1^t) and correction[j] = 1 / sqrt(1 - beta2^t) for its own t. The same bits as
/// AdamArgs where all columns agree.
template <class T>
struct AdamColumnsArgs {
  std::size_t rows = 0, cols = 0;
  T* weights = nullptr;           ///< [rows, cols], inout
  const T* gradient = nullptr;    ///< [rows, cols]
  T* m = nullptr;                 ///< [rows, cols], inout
  T* v = nullptr;                 ///< [rows, cols], inout
  const T* step_size = nullptr;   ///< a list, [cols]
  const T* correction = nullptr;  ///< a list, [cols]
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0, keep = 1;
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

/// LARS (You, Gitman & Ginsburg 2017, algorithm 1) on all weights of one layer: velocity = momentum
/// velocity + lr trust |w| / (|g| + weight_decay |w|) (g + weight_decay w); w -= velocity, with the
/// Euclidean norms of the layer. The quotient of the norms is 1 where one of both terms is 0.
template <class T>
struct LarsArgs {
  std::size_t count = 0;
  T* weights = nullptr;  ///< inout
  const T* gradient = nullptr;
  T* velocity = nullptr;  ///< inout; null when momentum is 0
  double lr = 0, momentum = 0, weight_decay = 0, trust = 0.001;
};

/// Rows of a layer whose moments are corrected alike, or column by column.
template <class T>
struct LambRun {
  std::size_t offset = 0;  ///< in elements from the layer's first weight
  std::size_t rows = 0, cols = 0;
  T unbias = 1;                    ///< 1 / (1 - beta1^t)
  T correction = 1;                ///< 1 / sqrt(1 - beta2^t)
  const T* unbiases = nullptr;     ///< a list, [cols]; null: `unbias` for all
  const T* corrections = nullptr;  ///< a list, [cols]; null where `unbiases` is
};

/// LAMB (You et al. 2020, algorithm 2, phi(z) = z) on all weights of one layer: Adam's moments, u =
/// unbias m / (sqrt(v) correction + epsilon) + weight_decay w; w -= lr |w| / |u| u, with the
/// Euclidean norms of the layer. Their quotient is 1 where one of both is 0.
template <class T>
struct LambArgs {
  const LambRun<T>* runs = nullptr;  ///< a list; the runs hold every weight once
  std::size_t run_count = 0;
  T* weights = nullptr;  ///< inout
  const T* gradient = nullptr;
  T* m = nullptr;  ///< inout
  T* v = nullptr;  ///< inout
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, weight_decay = 0;
};

/// Batch normalisation (Ioffe & Szegedy 2015): every column of x is shifted and scaled by its mean
/// and variance, then by `scale` and `shift`, which are learnt. At least one row.
template <class T>
struct BatchNormArgs {
  int rows = 0, cols = 0;
  const T* x = nullptr;         ///< [rows, cols]
  const T* mean = nullptr;      ///< [cols], like all below
  const T* variance = nullptr;  ///< not negative
  double epsilon = 1e-5;        ///< added to the variance
  const T* scale = nullptr;
  const T* shift = nullptr;
  Activation activation = Activation::none;
  T* y = nullptr;  ///< act((x - mean) / sqrt(variance + epsilon) * scale + shift)
};

/// The gradient of the same where mean and variance are those of x itself. `dy` is the gradient
/// before the activation, `dshift` the sums of its columns (activation_backward leaves both).
template <class T>
struct BatchNormGradientArgs {
  int rows = 0, cols = 0;
  const T* x = nullptr;
  const T* mean = nullptr;
  const T* variance = nullptr;
  double epsilon = 1e-5;
  const T* scale = nullptr;
  const T* dy = nullptr;      ///< [rows, cols]
  const T* dshift = nullptr;  ///< [cols]
  T* dscale = nullptr;        ///< [cols], overwritten
  T* dx = nullptr;            ///< [rows, cols], overwritten; null when nobody wants it
};

/// Layer normalisation (Ba et al. 2016): every row of x is shifted and scaled by its own mean and
/// variance, then every column by `scale` and `shift`, which are learnt.
template <class T>
struct LayerNormArgs {
  int rows = 0, cols = 0;
  const T* x = nullptr;  ///< [rows, cols]
  double epsilon = 1e-5;
  const T* scale = nullptr;  ///< [cols]
  const T* shift = nullptr;  ///< [cols]
  Activation activation = Activation::none;
  T* mean = nullptr;     ///< [rows], overwritten
  T* inverse = nullptr;  ///< [rows], overwritten: 1 / sqrt(variance + epsilon)
  T* y = nullptr;        ///< act((x - mean) * inverse * scale + shift)
};

/// Its gradient; `dy` is the gradient before the activation.
template <class T>
struct LayerNormGradientArgs {
  int rows = 0, cols = 0;
  const T* x = nullptr;
  const T* mean = nullptr;     ///< [rows]
  const T* inverse = nullptr;  ///< [rows]
  const T* scale = nullptr;    ///< [cols]
  const T* dy = nullptr;       ///< [rows, cols]
  T* dscale = nullptr;         ///< [cols], overwritten
  T* dx = nullptr;             ///< [rows, cols], overwritten; null when nobody wants it
};

/// Dropout (Srivastava et al. 2014) on x [rows, positions, units]: y = x / (1 - rate), or 0 with
/// the probability `rate`. Whether an element stays depends on the key, the step, the row's number,
/// the position and the unit's id, never on the units beside it: the unit with id u is dropped
/// where word u / 16 % 4 of Philox4x32-10(key, {u / 64 * 16 + u % 16, position, row, step}) is
/// below rate * 2^32.
template <class T>
struct DropoutArgs {
  int rows = 0, positions = 1, units = 0;
  std::uint64_t key = 0;
  std::uint32_t step = 0;
  const std::uint32_t* row_ids = nullptr;   ///< a list, [rows]; null: 0, 1, 2, ...
  const std::uint32_t* unit_ids = nullptr;  ///< a list, [units]; null: 0, 1, 2, ...
  double rate = 0;                          ///< 0 <= rate < 1
  const T* x = nullptr;
  T* y = nullptr;
  std::uint8_t* kept = nullptr;  ///< like x: 1 where an element stays, else 0
};

/// The numbers of a tensor that belong to units: x is [outer, units, inner].
struct UnitBlock {
  std::size_t outer = 1, units = 0, inner = 1;
};

/// What becomes of one axis of a tensor when units come and go: entry i is the old entry source[i]
/// (negative: 0), times factor[i].
struct AxisMap {
  const std::int32_t* source = nullptr;  ///< a list, [length]; null: 0, 1, 2, ...
  const double* factor = nullptr;        ///< a list, [length]; null: all 1
  int length = 0, before = 0;            ///< entries now, and of the old tensor
};

/// y[i, j, ...] = x[source_i, source_j, ...] * (factor_i * factor_j * ...), the factors multiplied
/// from left to right, the result rounded once; where they make 1 the number's bits are copied.
template <class T>
struct RegroupArgs {
  static constexpr int kMostAxes = 4;
  int axes = 0;  ///< 1 to kMostAxes
  std::array<AxisMap, kMostAxes> axis{};
  const T* x = nullptr;
  T* y = nullptr;
};

/// What fitting a layer anew needs, in double whatever the network's type, in the program's memory.
/// Matrices are row-major and dense.
struct LinearAlgebra {
  /// s[n, n] += a^T a for a [rows, n]; only the lower triangle (column <= row) is touched.
  void (*add_gram)(int rows, int n, const double* a, double* s);
  /// Solves S X = B by Cholesky factors. S [n, n] symmetric positive definite, its lower triangle
  /// given and overwritten; B [n, m] becomes X. False when S is not positive definite.
  bool (*solve_positive)(int n, int m, double* s, double* b);
  /// Eigenvalues of a symmetric matrix, ascending; `a` [n, n] becomes the eigenvectors, row i that
  /// of values[i], of length 1 and unknown sign.
  void (*eigen_symmetric)(int n, double* a, double* values);
};

/// One implementation of every kernel for one scalar type.
template <class T>
struct Kernels {
  std::string_view name;  ///< "ref", "cpu", "cuda"; part of the arithmetic fingerprint
  const Memory* memory;
  /// Of the operands of `gemm`, which every dense layer multiplies with.
  Precision precision = Precision::f32;

  void (*gemm)(Exec&, const GemmArgs<T>&);
  /// y[rows, cols] = act(y + bias), inout; `bias` may be null.
  void (*bias_activation)(Exec&, int rows, int cols, const T* bias, Activation, T* y);
  /// y[i] = act(x[i]).
  void (*activate)(Exec&, std::size_t count, Activation, const T* x, T* y);
  /// dy := dy * act' in place, with act' expressed through the output y (of gelu: through its
  /// input, which is then given as y); dbias[cols] = column sums of the new dy (skipped when null).
  void (*activation_backward)(Exec&, int rows, int cols, Activation, const T* y, T* dy, T* dbias);

  /// y = act(conv(x, w) + bias). x [batch,in_h,in_w,in_c], w [out_c,kernel_h,kernel_w,in_c/groups],
  /// y [batch,out_h,out_w,out_c].
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

  /// Mean and variance (the mean square of the distance from the mean) of each column of
  /// x [rows, cols], rows >= 1.
  void (*column_moments)(Exec&, int rows, int cols, const T* x, T* mean, T* variance);
  void (*batch_norm_forward)(Exec&, const BatchNormArgs<T>&);
  void (*batch_norm_backward)(Exec&, const BatchNormGradientArgs<T>&);

  /// y[rows, cols] = act(a + b).
  void (*add_activation)(Exec&, int rows, int cols, const T* a, const T* b, Activation, T* y);

  void (*layer_norm_forward)(Exec&, const LayerNormArgs<T>&);
  void (*layer_norm_backward)(Exec&, const LayerNormGradientArgs<T>&);

  /// y = mean over each window; windows do not reach over the edge (no padding).
  void (*avgpool_forward)(Exec&, const Window&, const T* x, T* y);
  /// dx (overwritten) receives each dy spread evenly over its window.
  void (*avgpool_backward)(Exec&, const Window&, const T* dy, T* dx);

  void (*dropout_forward)(Exec&, const DropoutArgs<T>&);
  /// dx = dy / (1 - rate) where an element was kept, else 0.
  void (*dropout_backward)(Exec&, std::size_t count, double rate, const std::uint8_t* kept,
                           const T* dy, T* dx);

  /// A row with a NaN or infinite logit gives a NaN loss and a row of NaN gradients, and is never
  /// correct.
  LossSums (*softmax_cross_entropy)(Exec&, const CrossEntropyArgs<T>&);
  /// The same; a row is correct where a positive logit meets label 1 or any other label 0.
  LossSums (*binary_cross_entropy)(Exec&, const BinaryCrossEntropyArgs<T>&);
  /// f(d) = d^2.
  LossSums (*mean_squared_error)(Exec&, const DifferenceLossArgs<T>&);
  /// f(d) = |d|, with the slope 0 at 0.
  LossSums (*mean_absolute_error)(Exec&, const DifferenceLossArgs<T>&);
  /// f(d) = d^2 / 2 up to |d| = delta, then delta (|d| - delta / 2) (Huber 1964).
  LossSums (*huber)(Exec&, const DifferenceLossArgs<T>&);

  void (*gather)(Exec&, const GatherArgs<T>&);
  void (*gather_images)(Exec&, const GatherImagesArgs<T>&);
  void (*copy_rows)(Exec&, const CopyRowsArgs&);
  /// dst[i] += src[i].
  void (*accumulate)(Exec&, std::size_t count, const T* src, T* dst);
  /// dst[i] = factor * src[i].
  void (*scaled_copy)(Exec&, std::size_t count, T factor, const T* src, T* dst);
  /// dst[i] += rate * (src[i] - dst[i]): one step of a running mean.
  void (*blend)(Exec&, std::size_t count, T rate, const T* src, T* dst);
  void (*sgd)(Exec&, const SgdArgs<T>&);
  void (*adam)(Exec&, const AdamArgs<T>&);
  void (*adam_columns)(Exec&, const AdamColumnsArgs<T>&);
  void (*rmsprop)(Exec&, const RmspropArgs<T>&);
  void (*lars)(Exec&, const LarsArgs<T>&);
  void (*lamb)(Exec&, const LambArgs<T>&);

  /// The sum of the squares of all numbers, in double.
  double (*sum_squares)(Exec&, std::size_t count, const T* x);
  /// squares[u] += sum of the squares of unit u's numbers; `squares` is a list.
  void (*unit_squares)(Exec&, const UnitBlock&, const T* x, T* squares);
  /// x[o, u, i] *= factor[u]; `factor` is a list.
  void (*scale_units)(Exec&, const UnitBlock&, const T* factor, T* x);
  void (*regroup)(Exec&, const RegroupArgs<T>&);
  /// x[o, units[k], i] = values[o, k, i] for values [outer, count, inner]; `units` is a list.
  void (*set_units)(Exec&, const UnitBlock&, int count, const std::uint32_t* units, const T* values,
                    T* x);

  const LinearAlgebra* algebra;
};

/// The oracle: scalar loops, for float and double.
template <class T>
[[nodiscard]] const Kernels<T>& ref_kernels(Precision precision = Precision::f32);
extern template const Kernels<float>& ref_kernels<float>(Precision);
extern template const Kernels<double>& ref_kernels<double>(Precision);

/// The fast float table of this processor: OpenBLAS, oneDNN and vector code, one thread a call.
/// cpu_lacks(precision) is empty.
[[nodiscard]] const Kernels<float>& cpu_kernels(Precision precision = Precision::f32);

/// Prepares the calling thread for arithmetic: denormals flushed to zero, BLAS and OpenMP held to
/// one thread. Every thread that calls a kernel calls this once first; cheap to repeat.
void prepare_thread();

/// Whether the calling thread has: what a training asks, which would take up to three times as long
/// without and say nothing.
[[nodiscard]] bool is_prepared_thread();

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

/// What holds our code and both libraries to one instruction set.
struct Variable {
  const char* name;
  const char* value;
};
/// For "avx2" or "avx512"; no other word is valid. As above, they must be in the environment before
/// the process starts.
[[nodiscard]] std::span<const Variable> isa_variables(std::string_view isa);
/// Whether they are.
[[nodiscard]] bool is_held_to(std::string_view isa);
/// What keeps this processor from it, a few words; empty: nothing.
[[nodiscard]] std::string isa_lacks(std::string_view isa);

}  // namespace kern
