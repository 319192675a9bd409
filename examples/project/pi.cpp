// Pi by the midpoint rule: one task for each part of the interval, one for the sum of two parts.
#include <trellis/runtime.h>

#include <cstdio>
#include <vector>

const auto part = rt::task("part").cpu([](int from, int to, int steps) {
  double sum = 0;
  for (int i = from; i < to; ++i) {
    const double x = (i + 0.5) / steps;
    sum += 4 / (1 + x * x) / steps;
  }
  return sum;
});
const auto add = rt::task("add").cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; });

int main() {
  rt::Runtime runtime;
  constexpr int kSteps = 1 << 20, kParts = 16;
  std::vector<rt::Value<double>> sums;
  for (int i = 0; i < kParts; ++i)
    sums.push_back(part(kSteps / kParts * i, kSteps / kParts * (i + 1), kSteps));
  for (; sums.size() > 1; sums.resize(sums.size() / 2))
    for (std::size_t i = 0; i < sums.size() / 2; ++i) sums[i] = add(sums[2 * i], sums[2 * i + 1]);
  std::printf("%.9f\n", sums[0].get());
}
