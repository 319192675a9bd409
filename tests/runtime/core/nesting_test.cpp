// Coroutines that end before they wait for anything, by the million. Built without optimization, as
// parts of the program nearly are: there GCC makes calls of transfers from one coroutine to
// another.
#include <cstdint>

#include "runtime/async.h"
#include "tests/runtime/core/support.h"

namespace {

constexpr int kMany = 1'000'000;

rt::Async<int> at_once(int x) { co_return x; }

rt::Async<std::int64_t> sum_of(int n) {
  std::int64_t all = 0;
  for (int i = 0; i < n; ++i) all += co_await at_once(i);
  co_return all;
}

const auto half = rt::task("half").cpu([](std::int64_t x) { return x / 2; });

rt::Async<std::int64_t> half_behind(std::int64_t x) {
  const std::int64_t result = co_await half(x);
  co_return result + co_await at_once(1);
}

class Nesting : public testing_rt::RuntimeTest {};

TEST_F(Nesting, CoroutinesThatEndAtOnceTakeNoStack) {
  EXPECT_EQ(rt::run(sum_of(kMany)), std::int64_t{kMany} * (kMany - 1) / 2);
}

TEST_F(Nesting, NorDoThoseThatWait) {
  const auto all = [](int n) -> rt::Async<std::int64_t> {
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i) sum += co_await half_behind(2);
    co_return sum;
  };
  constexpr int kWaits = 50'000;
  EXPECT_EQ(rt::run(all(kWaits)), 2 * kWaits);
}

}  // namespace
