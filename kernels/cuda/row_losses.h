#pragma once
// From the losses of rows to what a kernel of a loss returns.

#include "kernels/course.h"
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

/// The loss of a course's step.
struct AddToCourse {
  Course* course;
  KERN_DEVICE void operator()(const RowLoss& step) const {
    CourseSums& sums = course->sums;
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

/// Calls fill(rows), which writes one entry a row there. Their sum: waits for it, or adds it to the
/// course.
template <class Fill>
LossSums summed(const Exec& exec, Temporary& temporary, int rows, Fill fill) {
  if (rows == 0) return {};
  auto* losses = temporary.take<RowLoss>(static_cast<std::size_t>(rows));
  auto* total = temporary.take<RowLoss>(1);
  fill(losses);
  if (exec.course != nullptr) {
    sum_in_one_block(static_cast<std::size_t>(rows), losses, AddToCourse{exec.course});
    return {};
  }
  sum_in_one_block(static_cast<std::size_t>(rows), losses, KeepSum{total});
  RowLoss result{};
  driver::to_host(&result, total, sizeof result);
  return {result.loss, result.correct};
}

}  // namespace kern::KERN_ON
