#include "kernels/cuda/cudnn_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "kernels/cuda/device_errors.h"
#include "kernels/cuda/library_conv.h"

namespace kern::KERN_ON {

Cudnn::Cudnn() {
  const char* wish = std::getenv("TRELLIS_CUDNN");
  if (wish != nullptr && std::string_view(wish) == "off") return;
  const std::string file = "libcudnn.so." + std::to_string(CUDNN_MAJOR);
  // Never closed, as the module that this is.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return;
  here = true;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    here = here && function != nullptr;
  };
  find(version, "cudnnGetVersion");
  find(error, "cudnnGetErrorString");
  find(create, "cudnnCreate");
  find(destroy, "cudnnDestroy");
  find(set_stream, "cudnnSetStream");
  find(create_tensor, "cudnnCreateTensorDescriptor");
  find(destroy_tensor, "cudnnDestroyTensorDescriptor");
  find(set_tensor, "cudnnSetTensor4dDescriptor");
  find(create_filter, "cudnnCreateFilterDescriptor");
  find(destroy_filter, "cudnnDestroyFilterDescriptor");
  find(set_filter, "cudnnSetFilter4dDescriptor");
  find(create_conv, "cudnnCreateConvolutionDescriptor");
  find(destroy_conv, "cudnnDestroyConvolutionDescriptor");
  find(set_conv, "cudnnSetConvolution2dDescriptor");
  find(set_groups, "cudnnSetConvolutionGroupCount");
  find(set_math, "cudnnSetConvolutionMathType");
  find(forward_algorithms, "cudnnGetConvolutionForwardAlgorithm_v7");
  find(data_algorithms, "cudnnGetConvolutionBackwardDataAlgorithm_v7");
  find(filter_algorithms, "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  find(forward, "cudnnConvolutionForward");
  find(backward_data, "cudnnConvolutionBackwardData");
  find(backward_filter, "cudnnConvolutionBackwardFilter");
  find(create_activation, "cudnnCreateActivationDescriptor");
  find(destroy_activation, "cudnnDestroyActivationDescriptor");
  find(set_activation, "cudnnSetActivationDescriptor");
  find(forward_activated, "cudnnConvolutionBiasActivationForward");
  find(find_forward, "cudnnFindConvolutionForwardAlgorithm");
  find(find_data, "cudnnFindConvolutionBackwardDataAlgorithm");
  find(find_filter, "cudnnFindConvolutionBackwardFilterAlgorithm");
}

const Cudnn& cudnn() {
  static const Cudnn one;
  return one;
}

void check(cudnnStatus_t code) {
  if (code == CUDNN_STATUS_SUCCESS) return;
  const std::string why = std::string("cuDNN: ") + cudnn().error(code);
  if (code == CUDNN_STATUS_ALLOC_FAILED) throw OutOfMemory(why);
  if (is_for_good(cudaPeekAtLastError())) throw DeviceGone(why);
  throw DeviceError(why);
}

CudnnGeometry::CudnnGeometry(const Window& g, Precision precision, cudnnTensorFormat_t layout) {
  const Cudnn& lib = cudnn();
  check(lib.set_tensor(x, layout, CUDNN_DATA_FLOAT, g.batch, g.in_c, g.in_h, g.in_w));
  check(lib.set_tensor(y, layout, CUDNN_DATA_FLOAT, g.batch, g.out_c, g.out_h, g.out_w));
  check(lib.set_filter(w, CUDNN_DATA_FLOAT, layout, g.out_c, g.in_c / g.groups, g.kernel_h,
                       g.kernel_w));
  check(lib.set_conv(conv, g.pad_h, g.pad_w, g.stride_h, g.stride_w, g.dilation_h, g.dilation_w,
                     CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  check(lib.set_groups(conv, g.groups));
  check(lib.set_math(conv, precision == Precision::f32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH));
}

bool CudnnGeometry::fits(const Window& g) {
  const auto even = [](int in, int out, int kernel, int stride, int pad, int dilation) {
    return (in + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1 == out;
  };
  const auto counted = [&](int h, int w,
                           int channels) {  // cuDNN counts a tensor's elements in 32 bits
    return static_cast<double>(g.batch) * h * w * channels < 0x1p31;
  };
  return counted(g.in_h, g.in_w, g.in_c) && counted(g.out_h, g.out_w, g.out_c) &&
         even(g.in_h, g.out_h, g.kernel_h, g.stride_h, g.pad_h, g.dilation_h) &&
         even(g.in_w, g.out_w, g.kernel_w, g.stride_w, g.pad_w, g.dilation_w);
}

std::string conv_library() {
  return cudnn().here ? "cuDNN " + std::to_string(cudnn().version()) : "";
}

}  // namespace kern::KERN_ON
