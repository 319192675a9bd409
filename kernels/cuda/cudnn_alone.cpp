// How fast cuDNN is where nothing holds it back: what benchmarks compare with.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/cuda/cudnn_library.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/library_conv.h"

namespace kern::KERN_ON {
namespace {

/// Numbers in [-1, 1) without an order: products of zeros are faster than others.
std::vector<float> noise() {
  std::vector<float> numbers(std::size_t{1} << 20);
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(state >> 8) * 0x1p-23F - 1;
  }
  return numbers;
}

/// Device memory for a measurement.
class Room {
 public:
  explicit Room(std::size_t bytes) : at_(driver::allocate(bytes)) {
    static const std::vector<float> numbers = noise();
    const std::size_t most = numbers.size() * sizeof(float);
    for (std::size_t done = 0; done < bytes; done += most) {
      driver::to_device(static_cast<std::byte*>(at_) + done, numbers.data(),
                        std::min(most, bytes - done));
    }
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { driver::release(at_); }
  operator void*() const { return at_; }

 private:
  void* at_;
};

std::size_t floats(int a, int b, int c, int d) {
  return sizeof(float) * static_cast<std::size_t>(a) * static_cast<std::size_t>(b) *
         static_cast<std::size_t>(c) * static_cast<std::size_t>(d);
}

/// Seconds of one of many calls back to back; infinity where it is refused.
template <class Call>
double seconds_of(Call call) {
  constexpr int kWarm = 2, kTimes = 10;
  for (int i = 0; i < kWarm; ++i)
    if (call() != CUDNN_STATUS_SUCCESS) return INFINITY;
  driver::wait();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) call();
  driver::wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kTimes;
}

/// The least seconds among the algorithms that `find` put first by trying all of them.
template <class Perf, class Find, class Call>
double fastest(const CudnnGeometry& g, Find find, Call call) {
  constexpr int kMost = 16, kFirst = 3;
  std::array<Perf, kMost> found{};
  int count = 0;
  if (find(kMost, &count, found.data()) != CUDNN_STATUS_SUCCESS) return INFINITY;
  double best = INFINITY;
  for (int i = 0; i < std::min(count, kFirst); ++i) {
    const Perf& one = found[static_cast<std::size_t>(i)];
    if (one.status != CUDNN_STATUS_SUCCESS) continue;
    const Room scratch(one.memory);
    check(cudnn().set_math(g.conv, one.mathType));
    best = std::min(best, seconds_of([&] { return call(one, static_cast<void*>(scratch)); }));
  }
  return best;
}

}  // namespace

double library_conv_seconds(const Window& g, Precision precision, ConvStep step) {
  if (!cudnn().here || !CudnnGeometry::fits(g)) return 0;
  const Cudnn& lib = cudnn();
  const CudnnHandle<cudnnHandle_t> handle(lib.create, lib.destroy);
  check(lib.set_stream(handle, static_cast<cudaStream_t>(driver::stream())));
  const Room x(floats(g.batch, g.in_h, g.in_w, g.in_c)),
      y(floats(g.batch, g.out_h, g.out_w, g.out_c)),
      w(floats(g.out_c, g.kernel_h, g.kernel_w, g.in_c / g.groups));
  const float one = 1, zero = 0;
  double best = INFINITY;
  for (const cudnnTensorFormat_t layout : {CUDNN_TENSOR_NHWC, CUDNN_TENSOR_NCHW}) {
    const CudnnGeometry at(g, precision, layout);
    switch (step) {
      case ConvStep::forward:
        best = std::min(best, fastest<cudnnConvolutionFwdAlgoPerf_t>(
                                  at,
                                  [&](int most, int* count, auto* found) {
                                    return lib.find_forward(handle, at.x, at.w, at.conv, at.y, most,
                                                            count, found);
                                  },
                                  [&](const auto& by, void* scratch) {
                                    return lib.forward(handle, &one, at.x, x, at.w, w, at.conv,
                                                       by.algo, scratch, by.memory, &zero, at.y, y);
                                  }));
        break;
      case ConvStep::backward_data:
        best = std::min(
            best, fastest<cudnnConvolutionBwdDataAlgoPerf_t>(
                      at,
                      [&](int most, int* count, auto* found) {
                        return lib.find_data(handle, at.w, at.y, at.conv, at.x, most, count, found);
                      },
                      [&](const auto& by, void* scratch) {
                        return lib.backward_data(handle, &one, at.w, w, at.y, y, at.conv, by.algo,
                                                 scratch, by.memory, &zero, at.x, x);
                      }));
        break;
      case ConvStep::backward_weights:
        best = std::min(best, fastest<cudnnConvolutionBwdFilterAlgoPerf_t>(
                                  at,
                                  [&](int most, int* count, auto* found) {
                                    return lib.find_filter(handle, at.x, at.y, at.conv, at.w, most,
                                                           count, found);
                                  },
                                  [&](const auto& by, void* scratch) {
                                    return lib.backward_filter(handle, &one, at.x, x, at.y, y,
                                                               at.conv, by.algo, scratch, by.memory,
                                                               &zero, at.w, w);
                                  }));
        break;
    }
  }
  return best == INFINITY ? 0 : best;
}

}  // namespace kern::KERN_ON
