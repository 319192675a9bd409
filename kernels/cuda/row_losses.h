#pragma once
// From the losses of rows to what a kernel of a loss returns.

#include "kernels/cuda/sums.h"

namespace kern::KERN_ON {

/// LossSums as device memory holds them.
struct RowLoss {
  double loss;
  long long correct;
  KERN_DEVICE RowLoss& operator+=(const RowLoss& other) {
    loss += other.loss;
    correct += other.correct;
    return *this;
  }
};

/// Calls fill(rows), which writes one entry a row there, and waits for their sum.
template <class Fill>
LossSums summed(Temporary& temporary, int rows, Fill fill) {
  if (rows == 0) return {};
  auto* losses = temporary.take<RowLoss>(static_cast<std::size_t>(rows));
  auto* total = temporary.take<RowLoss>(1);
  fill(losses);
  sum_in_one_block(static_cast<std::size_t>(rows), losses, total);
  RowLoss result{};
  driver::to_host(&result, total, sizeof result);
  return {result.loss, result.correct};
}

}  // namespace kern::KERN_ON
