// Convolutions by cuDNN. For tf32 and bf16 its implicit products read our layouts as they are; its
// kernels for f32 turn every image around first, and only those of channels in groups are faster
// than ours.

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "kernels/cuda/conv_plan.h"
#include "kernels/cuda/cudnn_library.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/functions.h"
#include "kernels/cuda/library_conv.h"

namespace kern::KERN_ON {
namespace {

/// The algorithm is one a direction: the implicit product with indices computed before, which runs
/// on tensor cores where the precision allows them.
constexpr auto kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto kData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr auto kFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

constexpr float kOne = 1, kZero = 0;

/// The scratch that a deterministic algorithm wants, SIZE_MAX where cuDNN has none. `ask` fills a
/// list of all that it knows for a geometry.
template <int kMost, class Perf, class Algorithm, class Ask>
std::size_t scratch_of(Algorithm algorithm, Ask ask) {
  std::array<Perf, kMost> known{};
  int count = 0;
  if (ask(kMost, &count, known.data()) != CUDNN_STATUS_SUCCESS) return SIZE_MAX;
  for (int i = 0; i < count; ++i) {
    const Perf& one = known[static_cast<std::size_t>(i)];
    if (one.algo == algorithm && one.status == CUDNN_STATUS_SUCCESS &&
        one.determinism == CUDNN_DETERMINISTIC)
      return one.memory;
  }
  return SIZE_MAX;
}

std::size_t scratch_of(cudnnHandle_t handle, const CudnnGeometry& g, ConvStep step) {
  const Cudnn& lib = cudnn();
  switch (step) {
    case ConvStep::forward:
      break;
    case ConvStep::backward_data:
      return scratch_of<CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, cudnnConvolutionBwdDataAlgoPerf_t>(
          kData, [&](int most, int* count, auto* known) {
            return lib.data_algorithms(handle, g.w, g.y, g.conv, g.x, most, count, known);
          });
    case ConvStep::backward_weights:
      return scratch_of<CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT,
                        cudnnConvolutionBwdFilterAlgoPerf_t>(
          kFilter, [&](int most, int* count, auto* known) {
            return lib.filter_algorithms(handle, g.x, g.y, g.conv, g.w, most, count, known);
          });
  }
  return scratch_of<CUDNN_CONVOLUTION_FWD_ALGO_COUNT, cudnnConvolutionFwdAlgoPerf_t>(
      kForward, [&](int most, int* count, auto* known) {
        return lib.forward_algorithms(handle, g.x, g.w, g.conv, g.y, most, count, known);
      });
}

struct Plan {
  Plan(cudnnHandle_t handle, const Window& g, Precision precision, ConvStep step)
      : geometry(g, precision, CUDNN_TENSOR_NHWC), bytes(scratch_of(handle, geometry, step)) {
    usable = bytes <= device_conv_scratch(g);
  }

  CudnnGeometry geometry;
  std::size_t bytes;
  bool usable;
};

/// What a thread uses of cuDNN on one device.
class Session {
 public:
  [[nodiscard]] cudnnHandle_t handle() {
    auto* stream = static_cast<cudaStream_t>(driver::stream());
    if (!attached_ || stream_ != stream) check(cudnn().set_stream(handle_, stream));
    attached_ = true;
    stream_ = stream;
    return handle_;
  }

  [[nodiscard]] const Plan& plan(const Window& g, Precision precision, ConvStep step) {
    const Key key{g.batch,
                  g.in_h,
                  g.in_w,
                  g.in_c,
                  g.out_h,
                  g.out_w,
                  g.out_c,
                  g.kernel_h,
                  g.kernel_w,
                  g.stride_h,
                  g.stride_w,
                  g.pad_h,
                  g.pad_w,
                  g.dilation_h,
                  g.dilation_w,
                  g.groups,
                  precision == Precision::f32,
                  static_cast<int>(step)};
    const auto known = plans_.find(key);
    if (known != plans_.end()) return *known->second;
    constexpr std::size_t kMost = 512;  // networks may change their shapes without end
    if (plans_.size() >= kMost) plans_.clear();
    return *(plans_[key] = std::make_unique<Plan>(handle(), g, precision, step));
  }

 private:
  using Key = std::array<int, 18>;

  CudnnHandle<cudnnHandle_t> handle_{cudnn().create, cudnn().destroy};
  cudaStream_t stream_ = nullptr;
  bool attached_ = false;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

Session& session() {
  thread_local std::map<int, Session> of_devices;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess)
    throw DeviceError("CUDA does not say which device it works with");
  return of_devices[device];
}

/// Calls body(handle, plan) where cuDNN is to compute this.
template <class Body>
bool with_plan(const Window& g, Precision precision, ConvStep step, Body body) {
  if (precision == Precision::f32 && g.groups == 1) return false;
  if (ConvPlan(g).direct || !CudnnGeometry::fits(g) || !cudnn().here) return false;
  Session& own = session();
  const Plan& plan = own.plan(g, precision, step);
  if (!plan.usable) return false;
  check(body(own.handle(), plan));
  driver::launched();
  return true;
}

/// y = act(conv(x, w) + bias) at once, for the two activations that cuDNN defines as we do.
cudnnStatus_t forward_activated(cudnnHandle_t handle, const Plan& plan, int channels,
                                std::byte* scratch, const float* x, const float* w,
                                const float* bias, Activation act, float* y) {
  const Cudnn& lib = cudnn();
  const CudnnGeometry& g = plan.geometry;
  const CudnnHandle<cudnnTensorDescriptor_t> b(lib.create_tensor, lib.destroy_tensor);
  check(lib.set_tensor(b, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 1, channels, 1, 1));
  const CudnnHandle<cudnnActivationDescriptor_t> activation(lib.create_activation,
                                                            lib.destroy_activation);
  check(lib.set_activation(
      activation, act == Activation::relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
      CUDNN_PROPAGATE_NAN, 0));
  return lib.forward_activated(handle, &kOne, g.x, x, g.w, w, g.conv, kForward, scratch, plan.bytes,
                               &kZero, g.y, y, b, bias, activation, g.y, y);
}

}  // namespace

bool library_forward(Exec& exec, const Window& g, Precision precision, const float* x,
                     const float* w, const float* bias, Activation act, float* y) {
  bool activated = false;
  const bool done =
      with_plan(g, precision, ConvStep::forward, [&](cudnnHandle_t handle, const Plan& plan) {
        if (bias != nullptr && (act == Activation::none || act == Activation::relu)) {
          activated = forward_activated(handle, plan, g.out_c, exec.scratch, x, w, bias, act, y) ==
                      CUDNN_STATUS_SUCCESS;
          if (activated) return CUDNN_STATUS_SUCCESS;
        }
        const CudnnGeometry& at = plan.geometry;
        return cudnn().forward(handle, &kOne, at.x, x, at.w, w, at.conv, kForward, exec.scratch,
                               plan.bytes, &kZero, at.y, y);
      });
  if (done && !activated) bias_activation(exec, g.batch * g.out_h * g.out_w, g.out_c, bias, act, y);
  return done;
}

bool library_backward_data(Exec& exec, const Window& g, Precision precision, const float* dy,
                           const float* w, float* dx) {
  return with_plan(g, precision, ConvStep::backward_data,
                   [&](cudnnHandle_t handle, const Plan& plan) {
                     const CudnnGeometry& at = plan.geometry;
                     return cudnn().backward_data(handle, &kOne, at.w, w, at.y, dy, at.conv, kData,
                                                  exec.scratch, plan.bytes, &kZero, at.x, dx);
                   });
}

bool library_backward_weights(Exec& exec, const Window& g, Precision precision, const float* x,
                              const float* dy, float* dw) {
  return with_plan(
      g, precision, ConvStep::backward_weights, [&](cudnnHandle_t handle, const Plan& plan) {
        const CudnnGeometry& at = plan.geometry;
        return cudnn().backward_filter(handle, &kOne, at.x, x, at.y, dy, at.conv, kFilter,
                                       exec.scratch, plan.bytes, &kZero, at.w, dw);
      });
}

}  // namespace kern::KERN_ON
