#include "cli/self_test/exact.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kernels/kernels.h"

namespace cli {

namespace {

using Numbers = std::vector<float>;

/// Whole numbers from -8 to 8. Sums of a few thousand of their products are exact in a float.
Numbers whole_numbers(std::size_t count, std::uint32_t state) {
  Numbers out(count);
  for (float& x : out) {
    state = state * 1664525U + 1013904223U;
    x = static_cast<float>(static_cast<int>(state >> 24) % 17 - 8);
  }
  return out;
}

std::string product(bool trans_a, bool trans_b, int m, int n, int k) {
  const auto size = [](int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  };
  const Numbers a = whole_numbers(size(m, k), 1), b = whole_numbers(size(k, n), 2);
  Numbers ours(size(m, n)), right(size(m, n));
  kern::GemmArgs<float> args{.trans_a = trans_a,
                             .trans_b = trans_b,
                             .m = m,
                             .n = n,
                             .k = k,
                             .a = a.data(),
                             .lda = trans_a ? m : k,
                             .b = b.data(),
                             .ldb = trans_b ? k : n,
                             .c = ours.data(),
                             .ldc = n};
  kern::Exec exec;
  kern::cpu_kernels().gemm(exec, args);
  args.c = right.data();
  kern::ref_kernels<float>().gemm(exec, args);
  if (ours == right) return "";
  return base::cat("a product of whole numbers, ", m, "x", k, " by ", k, "x", n,
                   trans_a ? ", the first transposed" : "",
                   trans_b ? ", the second transposed" : "", ", is wrong");
}

struct Convolved {
  Numbers y, dx, dw;
  bool operator==(const Convolved&) const = default;
};

Convolved convolve(const kern::Kernels<float>& table) {
  constexpr int kBatch = 2, kSide = 9, kIn = 5, kOut = 7, kKernel = 3;
  constexpr std::size_t kPixels = kBatch * kSide * kSide, kPlaces = kKernel * kKernel;
  const kern::Window window{.batch = kBatch,
                            .in_h = kSide,
                            .in_w = kSide,
                            .in_c = kIn,
                            .out_h = kSide,
                            .out_w = kSide,
                            .out_c = kOut,
                            .kernel_h = kKernel,
                            .kernel_w = kKernel,
                            .pad_h = 1,
                            .pad_w = 1};
  const Numbers x = whole_numbers(kPixels * kIn, 3), w = whole_numbers(kOut * kPlaces * kIn, 4);
  const Numbers dy = whole_numbers(kPixels * kOut, 5), bias = whole_numbers(kOut, 6);
  Convolved out{Numbers(kPixels * kOut), Numbers(x.size()), Numbers(w.size())};
  const std::size_t bytes = std::max<std::size_t>(1, table.conv_scratch(window));
  const std::unique_ptr<void, void (*)(void*) noexcept> scratch(table.memory->allocate(bytes),
                                                                table.memory->release);
  kern::Exec exec{.scratch = static_cast<std::byte*>(scratch.get()), .scratch_bytes = bytes};
  table.conv_forward(exec, window, x.data(), w.data(), bias.data(), kern::Activation::relu,
                     out.y.data());
  table.conv_backward_data(exec, window, dy.data(), w.data(), out.dx.data());
  table.conv_backward_weights(exec, window, x.data(), dy.data(), out.dw.data());
  return out;
}

std::string convolution() {
  return convolve(kern::cpu_kernels()) == convolve(kern::ref_kernels<float>())
             ? ""
             : "a convolution of whole numbers is wrong";
}

// What approximations of functions may be off, beside 1 and as a share: the tests' own bound.
constexpr double kNear = 1e-5;

bool near(const Numbers& ours, const std::vector<double>& right) {
  for (std::size_t i = 0; i < right.size(); ++i)
    if (!(std::abs(ours[i] - right[i]) <= kNear * std::max(1.0, std::abs(right[i])))) return false;
  return true;
}

std::string activations(const Numbers& x) {
  const std::vector<double> exact(x.begin(), x.end());
  for (const auto& [activation, name] :
       {std::pair(kern::Activation::tanh, "tanh"), std::pair(kern::Activation::sigmoid, "sigmoid"),
        std::pair(kern::Activation::gelu, "gelu")}) {
    Numbers y(x.size());
    std::vector<double> right(x.size());
    kern::Exec exec;
    kern::cpu_kernels().activate(exec, x.size(), activation, x.data(), y.data());
    kern::ref_kernels<double>().activate(exec, x.size(), activation, exact.data(), right.data());
    if (!near(y, right)) return base::cat(name, " is wrong");
  }
  return "";
}

std::string cross_entropy(const Numbers& logits, int classes) {
  const int rows = static_cast<int>(logits.size()) / classes;
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) labels[static_cast<std::size_t>(row)] = row * 5 % classes;
  const std::vector<double> exact(logits.begin(), logits.end());
  Numbers slopes(logits.size());
  std::vector<double> right(logits.size());
  kern::Exec exec;
  const kern::LossSums ours =
      kern::cpu_kernels().softmax_cross_entropy(exec, {.rows = rows,
                                                       .classes = classes,
                                                       .logits = logits.data(),
                                                       .labels = labels.data(),
                                                       .dlogits = slopes.data()});
  const kern::LossSums known =
      kern::ref_kernels<double>().softmax_cross_entropy(exec, {.rows = rows,
                                                               .classes = classes,
                                                               .logits = exact.data(),
                                                               .labels = labels.data(),
                                                               .dlogits = right.data()});
  const bool good = near(slopes, right) && ours.correct == known.correct &&
                    std::abs(ours.loss - known.loss) <= kNear * known.loss;
  return good ? "" : "the loss of a classification is wrong";
}

std::string wrong_here() {
  kern::prepare_thread();
  for (const auto& [trans_a, trans_b] :
       {std::pair(false, false), std::pair(false, true), std::pair(true, false)}) {
    if (std::string wrong = product(trans_a, trans_b, 33, 47, 65); !wrong.empty()) return wrong;
  }
  if (std::string wrong = convolution(); !wrong.empty()) return wrong;
  constexpr int kClasses = 37, kRows = 13;
  Numbers x(kClasses * kRows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 32.0F - 7.5F;
  if (std::string wrong = activations(x); !wrong.empty()) return wrong;
  return cross_entropy(x, kClasses);
}

}  // namespace

std::string wrong_arithmetic(int threads) {
  std::vector<std::string> wrong(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> running;
    for (std::string& mine : wrong) running.emplace_back([&mine] { mine = wrong_here(); });
  }
  for (const std::string& one : wrong)
    if (!one.empty()) return one;
  // More weights than our own code multiplies without AVX-512: a library's product.
  kern::prepare_thread();
  return product(true, false, 704, 704, 16);
}

}  // namespace cli
