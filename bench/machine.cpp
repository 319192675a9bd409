// `bench machine`: what the cores can give, on one worker and on all of them. Two "cores" may be
// two threads of one, and a virtual machine may share its cores: a figure of parallel speed means
// something only as a share of this one's.
#include <cblas.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/platform.h"
#include "runtime/matrix.h"

namespace bench {
namespace {

constexpr int kGemm = 512;

struct Plan {
  int workers;
  int repetitions;
  double seconds;
  std::size_t floats;  ///< of one array: well beyond the caches
};

std::string on(int workers) {
  return base::cat(" on ", workers, workers == 1 ? " worker" : " workers");
}

/// Rates on 1..n workers; each is held against that many times the rate of one.
void add_scaling(std::vector<Case>& cases, const Plan& plan, const std::string& name,
                 const std::string& unit, double scale, const std::function<double(int)>& work) {
  double one = 0;
  for (int n = 1; n <= plan.workers; n = n < plan.workers ? std::min(n * 2, plan.workers) : n + 1) {
    const Sample s = repeat(plan.repetitions, [&] { return rate(n, plan.seconds, work) * scale; });
    if (n == 1) one = s.median;
    Case c{name + on(n), s.median, unit};
    c.spread = s.spread;
    if (n > 1) {
      c.rival = base::cat(n, " x one worker");
      c.rival_value = n * one;
      c.ratio = c.ours / c.rival_value;
    }
    cases.push_back(c);
  }
}

std::vector<rt::Matrix<float>> blocks(int n, std::size_t rows, std::size_t cols) {
  std::vector<rt::Matrix<float>> made;
  for (int i = 0; i < n; ++i) {
    made.emplace_back(rows, cols);
    for (float& x : made.back().span()) x = 0.5f;
  }
  return made;
}

void add_gemm(std::vector<Case>& cases, const Plan& plan) {
  auto a = blocks(plan.workers, kGemm, kGemm), b = blocks(plan.workers, kGemm, kGemm),
       c = blocks(plan.workers, kGemm, kGemm);
  const std::size_t peaks = cases.size();
  const std::string name =
      base::cat("sgemm ", kGemm, " (OpenBLAS ", std::string(openblas_get_corename()), ")");
  add_scaling(cases, plan, name, "GF/s", 1e-9, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kGemm, kGemm, kGemm, 1.0f, a[at].data(),
                kGemm, b[at].data(), kGemm, 0.0f, c[at].data(), kGemm);
    return 2.0 * kGemm * kGemm * kGemm;
  });
  // A GEMM is held against the multiply-adds of the same number of workers, which were measured
  // just before.
  for (std::size_t i = 0; peaks + i < cases.size(); ++i) {
    Case& gemm = cases[peaks + i];
    gemm.rival = "FMA peak";
    gemm.rival_value = cases[i].ours;
    gemm.ratio = gemm.ours / gemm.rival_value;
  }
}

void add_memory(std::vector<Case>& cases, const Plan& plan) {
  auto a = blocks(plan.workers, 1, plan.floats), b = blocks(plan.workers, 1, plan.floats),
       c = blocks(plan.workers, 1, plan.floats);
  std::vector<float> sinks(static_cast<std::size_t>(plan.workers) * 16);
  add_scaling(cases, plan, "memory read", "GB/s", 1e-9, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return read_all(std::as_const(a[at]).span(), sinks[at * 16]);
  });
  add_scaling(cases, plan, "memory triad", "GB/s", 1e-9, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return triad(a[at].span(), std::as_const(b[at]).span(), std::as_const(c[at]).span(), 1.5f);
  });
}

}  // namespace

std::vector<Case> run_machine(const Options& options) {
  const Plan plan{workers_or_cores(options.workers), options.quick ? 2 : 5,
                  options.quick ? 0.02 : 0.2,
                  options.quick ? std::size_t{1} << 22 : std::size_t{1} << 25};
  openblas_set_num_threads(1);
  std::vector<Case> cases;
  add_scaling(cases, plan, base::cat("FMA peak (", vector_set(), ", f32)"), "GF/s", 1e-9,
              [](int) { return multiply_add_burst(); });
  add_gemm(cases, plan);
  add_memory(cases, plan);
  if (options.nodes > 0) std::ranges::move(write_platform(options), std::back_inserter(cases));
  return cases;
}

}  // namespace bench
