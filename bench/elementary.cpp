// `bench elementary`: the functions of kernels/elementary beside those of the host's libm, one call
// after another on arguments that neither can predict, in one thread. The host's versions may use
// fused multiply-add, which ours do not, so that all processors compute the same.
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "kernels/elementary/elementary.h"

namespace bench {
namespace {

// Short ones, so that the median is one that nothing interrupted.
constexpr int kTimes = 99;
constexpr std::size_t kManyArguments = 4096;

/// The host's function of that name: ours hides it from the linker.
void* of_host(const char* name) {
  static void* const library = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  void* const function = library != nullptr ? ::dlsym(library, name) : nullptr;
  if (function == nullptr)
    throw base::Error(base::Errc::no_device, std::string("the host's libm has no ") + name);
  return function;
}

template <class T>
std::vector<T> arguments(double from, double to) {
  base::Stream stream(1, "elementary");
  std::vector<T> drawn(kManyArguments);
  for (T& x : drawn) x = static_cast<T>(from + (to - from) * stream.uniform());
  return drawn;
}

/// Nanoseconds a call.
template <class T, class F>
double call_time(F function, const std::vector<T>& at, int rounds) {
  T sum = 0;
  const base::Moment start = base::now();
  for (int round = 0; round < rounds; ++round)
    for (const T x : at) sum += function(x);
  const double seconds = base::seconds_since(start);
  volatile T kept = sum;
  (void)kept;
  return 1e9 * seconds / rounds / static_cast<double>(at.size());
}

struct Measuring {
  std::vector<Case> cases = {};
  int rounds;

  template <class T, class Ours, class Theirs>
  void add(const std::string& name, double from, double to, Ours ours, Theirs theirs) {
    const std::vector<T> at = arguments<T>(from, to);
    std::vector<double> of_ours, of_theirs;
    for (int i = 0; i <= kTimes; ++i) {
      const double mine = call_time(ours, at, rounds), other = call_time(theirs, at, rounds);
      if (i == 0) continue;
      of_ours.push_back(mine);
      of_theirs.push_back(other);
    }
    const Sample sample = sample_of(of_ours);
    Case c{name, sample.median, "ns", "glibc", sample_of(of_theirs).median};
    c.ratio = c.rival_value / c.ours;
    c.spread = sample.spread;
    cases.push_back(c);
  }
};

#define TRELLIS_BENCH_ONE(T, function, from, to)              \
  measuring.add<T>(                                           \
      #function, from, to, [](T x) { return ::function(x); }, \
      [theirs = reinterpret_cast<T (*)(T)>(of_host(#function))](T x) { return theirs(x); })

#define TRELLIS_BENCH_TWO(T, function, from, to, second)                  \
  measuring.add<T>(                                                       \
      #function, from, to, [](T x) { return ::function(x, second); },     \
      [theirs = reinterpret_cast<T (*)(T, T)>(of_host(#function))](T x) { \
        return theirs(x, second);                                         \
      })

}  // namespace

std::vector<Case> run_elementary(const Options& options) {
  Measuring measuring{.rounds = options.quick ? 1 : 5};
  TRELLIS_BENCH_ONE(double, exp, -10, 10);
  TRELLIS_BENCH_ONE(double, exp2, -10, 10);
  TRELLIS_BENCH_ONE(double, expm1, -2, 2);
  TRELLIS_BENCH_ONE(double, log, 0.01, 100);
  TRELLIS_BENCH_ONE(double, log2, 0.01, 100);
  TRELLIS_BENCH_ONE(double, log10, 0.01, 100);
  TRELLIS_BENCH_ONE(double, log1p, -0.5, 10);
  TRELLIS_BENCH_TWO(double, pow, 0.5, 100, 1.7);
  TRELLIS_BENCH_ONE(double, sin, -6.3, 6.3);
  TRELLIS_BENCH_ONE(double, cos, -6.3, 6.3);
  TRELLIS_BENCH_ONE(double, asin, -1, 1);
  TRELLIS_BENCH_ONE(double, tanh, -3, 3);
  TRELLIS_BENCH_ONE(double, erfc, -4, 4);
  TRELLIS_BENCH_TWO(double, hypot, 0.5, 100, 7.5);
  TRELLIS_BENCH_ONE(float, expf, -10, 10);
  TRELLIS_BENCH_ONE(float, logf, 0.01, 100);
  TRELLIS_BENCH_ONE(float, log1pf, -0.5, 10);
  TRELLIS_BENCH_TWO(float, powf, 0.5, 100, 1.7F);
  TRELLIS_BENCH_ONE(float, tanhf, -3, 3);
  TRELLIS_BENCH_ONE(float, erfcf, -4, 4);
  return measuring.cases;
}

}  // namespace bench
