#pragma once
// Sums the losses of rows to the result of a loss's kernel.

#include "kernels/cuda/sums.h"
#include "kernels/step_buffer.h"

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

/// Adds the loss of a step to the sums of a step buffer.
struct AddToSums {
  StepBuffer* buffer;
  KERN_DEVICE void operator()(const RowLoss& step) const {
    StepSums& sums = buffer->sums;
    if (sums.halted != 0) return;
    sums.loss += step.loss;
    sums.correct += step.correct;
    const bool finite = step.loss - step.loss == 0;
    sums.steps += finite ? 1 : 0;
    sums.halted = finite ? 0 : 1;
  }
};

struct KeepSum {
  RowLoss* total;
  KERN_DEVICE void operator()(const RowLoss& sum) const { *total = sum; }
};

/// Calls fill(losses), which writes one entry a row. Waits for their sum and returns it, or adds it
/// to the step buffer and returns 0.
template <class Fill>
LossSums summed(const Exec& exec, Temporary& temporary, int rows, Fill fill) {
  if (rows == 0) return {};
  auto* losses = temporary.take<RowLoss>(static_cast<std::size_t>(rows));
  auto* total = temporary.take<RowLoss>(1);
  fill(losses);
  if (exec.step_buffer != nullptr) {
    sum_in_one_block(static_cast<std::size_t>(rows), losses, AddToSums{exec.step_buffer});
    return {};
  }
  sum_in_one_block(static_cast<std::size_t>(rows), losses, KeepSum{total});
  RowLoss result{};
  driver::to_host(&result, total, sizeof result);
  return {result.loss, result.correct};
}

}  // namespace kern::KERN_ON
