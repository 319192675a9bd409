// Many workers call BLAS at once and every product is checked: one variant of OpenBLAS (the serial
// one) is not thread-safe and gives wrong numbers now and then. TRELLIS_BLAS_PRODUCTS sets how many
// products a test makes.
#include <cblas.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/random.h"
#include "runtime/runtime.h"

namespace {

int products() {
  const char* text = std::getenv("TRELLIS_BLAS_PRODUCTS");
  return text != nullptr ? std::atoi(text) : 5000;
}

/// A product of small integers: its floating-point result is exact whatever the order of the sums,
/// so that it can be compared bit by bit with one computed in integers.
struct Product {
  int m, n, k;
  bool transposed;
  std::vector<float> a, b, exact;
  std::vector<double> wide_a, wide_b, wide_exact;

  explicit Product(std::uint64_t number) {
    base::Stream random(1, "product", number);
    // Three of four beyond 100^3, where OpenBLAS takes one of its shared work buffers: what is not
    // safe without locks.
    const bool large = number % 4 != 0;
    const auto side = [&] {
      return static_cast<int>(large ? 101 + random.below(60) : 1 + random.below(64));
    };
    m = side(), n = side(), k = side();
    transposed = random.below(2) != 0;
    std::vector<int> whole_a(at(m, k)), whole_b(at(k, n));
    for (int& x : whole_a) x = static_cast<int>(random.below(15)) - 7;
    for (int& x : whole_b) x = static_cast<int>(random.below(15)) - 7;
    exact.resize(at(m, n));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        int sum = 0;
        for (int l = 0; l < k; ++l)
          sum += whole_a[at(i, k) + at(l, 1)] * whole_b[at(l, n) + at(j, 1)];
        exact[at(i, n) + at(j, 1)] = static_cast<float>(sum);
      }
    }
    a.assign(whole_a.begin(), whole_a.end());
    b.resize(whole_b.size());
    for (int l = 0; l < k; ++l) {
      for (int j = 0; j < n; ++j)
        b[transposed ? at(j, k) + at(l, 1) : at(l, n) + at(j, 1)] =
            static_cast<float>(whole_b[at(l, n) + at(j, 1)]);
    }
    wide_a.assign(a.begin(), a.end());
    wide_b.assign(b.begin(), b.end());
    wide_exact.assign(exact.begin(), exact.end());
  }

  static std::size_t at(int row, int width) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }

  /// Whether BLAS gets it right, in single and in double precision.
  [[nodiscard]] bool right() const {
    std::vector<float> c(exact.size(), -1.0f);
    const auto b_form = transposed ? CblasTrans : CblasNoTrans;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, b_form, m, n, k, 1, a.data(), k, b.data(),
                transposed ? k : n, 0, c.data(), n);
    if (c != exact) return false;
    std::vector<double> wide_c(exact.size(), -1.0);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, b_form, m, n, k, 1, wide_a.data(), k, wide_b.data(),
                transposed ? k : n, 0, wide_c.data(), n);
    return wide_c == wide_exact;
  }
};

const std::vector<Product>& pool() {
  static const std::vector<Product> all = [] {
    std::vector<Product> made;
    for (std::uint64_t i = 0; i < 64; ++i) made.emplace_back(i);
    return made;
  }();
  return all;
}

TEST(Blas, ManyThreadsEveryProductRight) {
  openblas_set_num_threads(1);
  const int total = products();
  const auto& items = pool();
  std::atomic<int> next{0}, wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = next++; i < total; i = next++)
          wrong += !items[static_cast<std::size_t>(i) % items.size()].right();
      });
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << total;
}

// Ten products a task, by the workers of the runtime.
const auto multiply = rt::task("multiply").cpu([](int first, int count) -> int {
  int wrong = 0;
  for (int i = first; i < first + count; ++i)
    wrong += !pool()[static_cast<std::size_t>(i) % pool().size()].right();
  return wrong;
});

TEST(Blas, AllWorkersEveryProductRight) {
  openblas_set_num_threads(1);
  static_cast<void>(pool());
  const int total = products();
  rt::Runtime runtime({.workers = 8});
  std::vector<rt::Value<int>> counts;
  for (int i = 0; i < total; i += 10) counts.push_back(multiply(i, 10));
  int wrong = 0;
  for (const auto& count : counts) wrong += count.get();
  EXPECT_EQ(wrong, 0) << "of " << total;
}

}  // namespace
