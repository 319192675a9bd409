#pragma once
// Shared by the kernel tests: the tables under test, random operands, and the comparison with the
// oracle.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/gemm_library.h"
#include "kernels/cpu/onednn_conv.h"
#include "kernels/kernels.h"
#include "tests/kernels/device.h"

namespace kern::test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct NamedTable {
  std::string name;
  Kernels<float> kernels;
};

/// oneDNN leaves C alone when k is 0; the table never asks it then.
template <void (*Product)(const GemmArgs<float>&)>
void library_gemm(Exec& exec, const GemmArgs<float>& g) {
  g.k == 0 ? ref_kernels<float>().gemm(exec, g) : Product(g);
}

/// Whether a table multiplies by one library, whatever the shape: no program does.
inline bool is_of_a_library(const Kernels<float>& t) {
  return t.gemm == library_gemm<cpu::openblas_gemm> || t.gemm == library_gemm<cpu::onednn_gemm>;
}

/// Products and convolutions by the libraries alone, whatever the shape.
inline Kernels<float> library_table(void (*product)(const GemmArgs<float>&)) {
  Kernels<float> t = ref_kernels<float>();
  t.gemm = product == cpu::openblas_gemm ? library_gemm<cpu::openblas_gemm>
                                         : library_gemm<cpu::onednn_gemm>;
  t.conv_forward = [](Exec& e, const Window& g, const float* x, const float* w, const float* b,
                      Activation act, float* y) {
    if (g.batch > 0) cpu::onednn_conv_forward(e, g, x, w, b, y);
    ref_kernels<float>().bias_activation(e, g.batch * g.out_h * g.out_w, g.out_c, nullptr, act, y);
  };
  t.conv_backward_data = [](Exec& e, const Window& g, const float* dy, const float* w, float* dx) {
    if (g.batch > 0) cpu::onednn_conv_backward_data(e, g, dy, w, dx);
  };
  t.conv_backward_weights = [](Exec& e, const Window& g, const float* x, const float* dy,
                               float* dw) {
    if (g.batch > 0)
      cpu::onednn_conv_backward_weights(e, g, x, dy, dw);
    else
      ref_kernels<float>().conv_backward_weights(e, g, x, dy, dw);
  };
  t.conv_scratch = [](const Window& g) {
    std::size_t bytes = 0;
    using enum cpu::ConvStep;
    for (const cpu::ConvStep step : {forward, backward_data, backward_weights})
      if (g.batch > 0) bytes = std::max(bytes, cpu::onednn_conv_scratch(step, g));
    return bytes;
  };
  return t;
}

/// Every float table that this machine can run: the reference, the libraries, for each instruction
/// set our own code alone and the table that chooses, the table of bf16, and the devices' kernels
/// on the host. On a GPU its table alone.
inline std::vector<NamedTable> tables() {
  if (on_gpu()) return {{"cuda", device().kernels()}};
  std::vector<NamedTable> all{{"ref", ref_kernels<float>()},
                              {"OpenBLAS", library_table(cpu::openblas_gemm)},
                              {"oneDNN", library_table(cpu::onednn_gemm)}};
  for (const cpu::Isa isa : {cpu::Isa::plain, cpu::Isa::avx2, cpu::Isa::avx512}) {
    if (isa > cpu::best_isa()) continue;
    all.push_back({"own " + std::string(cpu::isa_name(isa)), cpu::own_table(isa)});
    all.push_back({std::string(cpu::isa_name(isa)), cpu::table(isa)});
  }
  if (cpu::has_bf16()) all.push_back({"bf16", cpu::bf16_table()});
  all.push_back({"emulated", device().kernels()});
  return all;
}

/// Calls body(kernels) for every table, with the table's name in any failure.
template <class Body>
void for_each_table(Body body) {
  prepare_thread();
  for (const NamedTable& t : tables()) {
    SCOPED_TRACE("table " + t.name);
    body(t.kernels);
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  [[nodiscard]] float uniform(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(engine_);
  }
  [[nodiscard]] int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  [[nodiscard]] Floats floats(std::size_t n, float low = -1, float high = 1) {
    Floats v(n);
    for (float& x : v) x = uniform(low, high);
    return v;
  }

 private:
  std::mt19937 engine_;
};

inline Doubles widen(const Floats& v) { return {v.begin(), v.end()}; }

/// Scratch memory of an Exec, aligned as the interface asks.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : memory_(bytes + 64) {
    void* p = memory_.data();
    std::size_t space = memory_.size();
    exec_.scratch = static_cast<std::byte*>(std::align(64, bytes, p, space));
    exec_.scratch_bytes = bytes;
  }
  [[nodiscard]] Exec& exec() { return exec_; }

 private:
  std::vector<std::byte> memory_;
  Exec exec_;
};

/// |got - expected| <= 4 eps sqrt(k) scale for sums of k terms, scale being the largest expected
/// magnitude, or `scale` where that is larger: the terms of a sum may cancel.
inline void expect_close(const Floats& got, const Doubles& expected, double k,
                         std::string_view what, double scale = 0) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (const double e : expected) scale = std::max(scale, std::abs(e));
  const double bound =
      4 * std::numeric_limits<float>::epsilon() * std::sqrt(std::max(k, 1.0)) * scale;
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(std::abs(static_cast<double>(got[i]) - expected[i]) <= bound)
        << what << ": element " << i << " of " << got.size() << " is " << got[i] << ", expected "
        << expected[i] << " within " << bound;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace kern::test
