// Matrix products of dense layers: our own code beside OpenBLAS and oneDNN. Gradients of weights
// may be left to oneDNN: for them the thresholds, beside those of kernels/cpu/gemm_thresholds.cpp.
// For the instruction set in use: TRELLIS_ISA chooses a lesser one, OPENBLAS_CORETYPE and
// ONEDNN_MAX_CPU_ISA hold the libraries to it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/gemm_library.h"
#include "kernels/cpu/gemm_thresholds.h"
#include "runtime/matrix.h"

namespace bench {

namespace {

using Args = kern::GemmArgs<float>;

/// The products of a dense layer: forward, gradient of the weights, gradient of the input.
enum class Product { ab, atb, abt };

constexpr std::array kSides{64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
constexpr std::array kQuickSides{64, 256};
constexpr base::EnumNames<Product> kNames{
    {{Product::ab, "A B"}, {Product::atb, "A^T B"}, {Product::abt, "A B^T"}}};
constexpr int kRepetitions = 9;
constexpr double kSecondsOfOne = 5e-4;

/// What each implementation takes for one product.
struct Seconds {
  double own = 0, openblas = 0, onednn = 0;
};

/// Memory for the operands of any shape here.
struct Operands {
  rt::Matrix<float> a{1, std::size_t{2048} * 2048}, b{1, std::size_t{2048} * 2048},
      c{1, std::size_t{2048} * 2048};
  Operands() {
    for (rt::Matrix<float>* one : {&a, &b, &c})
      for (float& x : one->span()) x = 0.5f;
  }
};

/// The product of a dense layer of side x side weights on a batch.
Args product_of(Product product, int rows, int side, Operands& memory) {
  Args g{.trans_a = product == Product::atb,
         .trans_b = product == Product::abt,
         .m = rows,
         .n = side,
         .k = side,
         .a = memory.a.data(),
         .lda = side,
         .b = memory.b.data(),
         .ldb = side,
         .c = memory.c.data(),
         .ldc = side};
  if (g.trans_a) std::swap(g.m, g.k);
  return g;
}

template <class F>
double best_of(F f) {
  f();
  const base::Moment begun = base::now();
  f();
  const int calls = std::max(1, static_cast<int>(kSecondsOfOne / base::seconds_since(begun)));
  double best = 1e30;
  for (int i = 0; i < kRepetitions; ++i) {
    const base::Moment begin = base::now();
    for (int call = 0; call < calls; ++call) f();
    best = std::min(best, base::seconds_since(begin) / calls);
  }
  return best;
}

Seconds measure(const Args& g) {
  kern::Exec exec;
  const auto own = kern::cpu::own_table(kern::cpu::chosen_isa()).gemm;
  return {best_of([&] { own(exec, g); }), best_of([&] { kern::cpu::openblas_gemm(g); }),
          best_of([&] { kern::cpu::onednn_gemm(g); })};
}

Case case_of(Product product, const Args& g, const Seconds& took) {
  const auto choice = kern::cpu::gemm_choice(kern::cpu::chosen_isa(), g);
  const bool own = choice == kern::cpu::GemmLibrary::own;
  const double ours = own ? took.own : took.onednn;
  const double other = std::min(took.openblas, own ? took.onednn : took.own);
  const double flops = 2e-9 * g.m * g.n * g.k;
  return {.name = base::cat(kNames[product], ", ", g.m, " x ", g.n, " x ", g.k,
                            own ? ": own" : ": oneDNN"),
          .ours = flops / ours,
          .unit = "GF/s",
          .rival = other == took.openblas ? "OpenBLAS"
                   : own                  ? "oneDNN"
                                          : "own",
          .rival_value = flops / other,
          .ratio = other / ours};
}

/// The size up to which our own code should multiply: from where on oneDNN takes less in sum (of
/// logarithms, so that every size counts alike). Less than noise is no reason to leave our own.
double threshold_of(std::span<const int> sides, std::span<const Seconds> took) {
  constexpr double kNoise = 1.05;
  std::vector<double> cost(sides.size() + 1);
  for (std::size_t threshold = 0; threshold <= sides.size(); ++threshold)
    for (std::size_t i = 0; i < sides.size(); ++i)
      cost[threshold] += std::log(i < threshold ? took[i].own : took[i].onednn * kNoise);
  const auto best = static_cast<std::size_t>(std::ranges::min_element(cost) - cost.begin());
  const double below = best == 0 ? sides.front() / 2.0 : sides[best - 1];
  const double above = best == sides.size() ? sides.back() * 2.0 : sides[best];
  return std::floor(below * above);
}

}  // namespace

std::vector<Case> run_gemm(const Options& options) {
  kern::prepare_thread();
  const std::span<const int> sides =
      options.quick ? std::span<const int>(kQuickSides) : std::span<const int>(kSides);
  Operands memory;
  std::vector<Case> cases, thresholds;
  for (const Product product : {Product::ab, Product::atb, Product::abt}) {
    for (const int rows : kern::cpu::kThresholdRows) {
      std::vector<Seconds> took;
      for (const int side : sides) {
        const Args g = product_of(product, rows, side, memory);
        took.push_back(measure(g));
        cases.push_back(case_of(product, g, took.back()));
      }
      const std::string_view name = kNames[product];
      show_progress(base::cat("gemm: ", name, ", ", rows, " rows"));
      if (product != Product::atb) continue;
      const double source =
          static_cast<double>(kern::cpu::own_threshold(kern::cpu::chosen_isa(), rows));
      thresholds.push_back({.name = base::cat("threshold of ", name, ", ", rows, " rows (",
                                              kern::cpu::isa_name(kern::cpu::chosen_isa()), ")"),
                            .ours = threshold_of(sides, took),
                            .unit = "floats",
                            .rival = "in the source",
                            .rival_value = source});
    }
  }
  show_progress("");
  cases.insert(cases.end(), thresholds.begin(), thresholds.end());
  return cases;
}

}  // namespace bench
