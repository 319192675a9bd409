#pragma once
// cuDNN's functions, looked for when the first one is asked for: the program runs without it.

#include <cudnn.h>

#include <string>

#include "kernels/kernels.h"

namespace kern::KERN_ON {

/// All or none.
struct Cudnn {
  bool here = false;
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) error = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnCreateTensorDescriptor) create_tensor = nullptr;
  decltype(&cudnnDestroyTensorDescriptor) destroy_tensor = nullptr;
  decltype(&cudnnSetTensor4dDescriptor) set_tensor = nullptr;
  decltype(&cudnnCreateFilterDescriptor) create_filter = nullptr;
  decltype(&cudnnDestroyFilterDescriptor) destroy_filter = nullptr;
  decltype(&cudnnSetFilter4dDescriptor) set_filter = nullptr;
  decltype(&cudnnCreateConvolutionDescriptor) create_conv = nullptr;
  decltype(&cudnnDestroyConvolutionDescriptor) destroy_conv = nullptr;
  decltype(&cudnnSetConvolution2dDescriptor) set_conv = nullptr;
  decltype(&cudnnSetConvolutionGroupCount) set_groups = nullptr;
  decltype(&cudnnSetConvolutionMathType) set_math = nullptr;
  decltype(&cudnnGetConvolutionForwardAlgorithm_v7) forward_algorithms = nullptr;
  decltype(&cudnnGetConvolutionBackwardDataAlgorithm_v7) data_algorithms = nullptr;
  decltype(&cudnnGetConvolutionBackwardFilterAlgorithm_v7) filter_algorithms = nullptr;
  decltype(&cudnnConvolutionForward) forward = nullptr;
  decltype(&cudnnConvolutionBackwardData) backward_data = nullptr;
  decltype(&cudnnConvolutionBackwardFilter) backward_filter = nullptr;
  decltype(&cudnnCreateActivationDescriptor) create_activation = nullptr;
  decltype(&cudnnDestroyActivationDescriptor) destroy_activation = nullptr;
  decltype(&cudnnSetActivationDescriptor) set_activation = nullptr;
  decltype(&cudnnConvolutionBiasActivationForward) forward_activated = nullptr;
  decltype(&cudnnFindConvolutionForwardAlgorithm) find_forward = nullptr;
  decltype(&cudnnFindConvolutionBackwardDataAlgorithm) find_data = nullptr;
  decltype(&cudnnFindConvolutionBackwardFilterAlgorithm) find_filter = nullptr;

  Cudnn();
};

[[nodiscard]] const Cudnn& cudnn();

/// Throws DeviceError, OutOfMemory where the library says that.
void check(cudnnStatus_t code);

/// A description, made and given back by the library.
template <class T>
class CudnnHandle {
 public:
  CudnnHandle(cudnnStatus_t (*make)(T*), cudnnStatus_t (*drop)(T)) : drop_(drop) {
    check(make(&one_));
  }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  // At the end of a process CUDA may be gone already: then this refuses, and nothing is lost.
  ~CudnnHandle() { drop_(one_); }
  operator T() const { return one_; }

 private:
  cudnnStatus_t (*drop_)(T);
  T one_{};
};

/// Images and weights of a window in one of cuDNN's layouts; ours is CUDNN_TENSOR_NHWC.
struct CudnnGeometry {
  CudnnGeometry(const Window& g, Precision precision, cudnnTensorFormat_t layout);

  /// Whether the same number of zeros on each side gives the window's outputs: cuDNN cannot say
  /// more at the end.
  [[nodiscard]] static bool fits(const Window& g);

  CudnnHandle<cudnnTensorDescriptor_t> x{cudnn().create_tensor, cudnn().destroy_tensor},
      y{cudnn().create_tensor, cudnn().destroy_tensor};
  CudnnHandle<cudnnFilterDescriptor_t> w{cudnn().create_filter, cudnn().destroy_filter};
  CudnnHandle<cudnnConvolutionDescriptor_t> conv{cudnn().create_conv, cudnn().destroy_conv};
};

}  // namespace kern::KERN_ON
