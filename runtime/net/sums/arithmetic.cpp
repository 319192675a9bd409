#include "runtime/net/sums/arithmetic.h"

#include <algorithm>
#include <cstring>

namespace rt::net::sums {

namespace {

/// Elements that are in registers at the same time: with local copies of a fixed size the compiler
/// needs no proof that the arrays do not overlap, and uses vectors.
constexpr std::size_t kInRegisters = 16;

template <class T, std::size_t Count, class Op>
void run(const std::byte* left, const std::byte* right, std::byte* to, Op op) noexcept {
  T a[Count], b[Count];
  std::memcpy(a, left, sizeof a);
  std::memcpy(b, right, sizeof b);
  for (std::size_t i = 0; i < Count; ++i) a[i] = op(a[i], b[i]);
  std::memcpy(to, a, sizeof a);
}

template <class T, class Op>
void over(std::size_t count, const std::byte* left, const std::byte* right, std::byte* to,
          Op op) noexcept {
  std::size_t at = 0;
  for (; at + kInRegisters <= count; at += kInRegisters)
    run<T, kInRegisters>(left + at * sizeof(T), right + at * sizeof(T), to + at * sizeof(T), op);
  for (; at < count; ++at)
    run<T, 1>(left + at * sizeof(T), right + at * sizeof(T), to + at * sizeof(T), op);
}

}  // namespace

void combine(Arithmetic op, std::size_t count, const std::byte* left, const std::byte* right,
             std::byte* to) noexcept {
  switch (op) {
    case Arithmetic::floats:
      return over<float>(count, left, right, to, [](float a, float b) { return a + b; });
    case Arithmetic::integers:
      return over<std::uint32_t>(count, left, right, to,
                                 [](std::uint32_t a, std::uint32_t b) { return a + b; });
    case Arithmetic::largest:
      return over<std::int32_t>(count, left, right, to,
                                [](std::int32_t a, std::int32_t b) { return a < b ? b : a; });
  }
}

}  // namespace rt::net::sums
