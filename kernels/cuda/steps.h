#pragma once
// Arguments that change from step to step: kernels read them in the step buffer if there is one.

#include "kernels/cuda/launch.h"
#include "kernels/cuda/temporary.h"
#include "kernels/step_buffer.h"

namespace kern::KERN_ON {

/// The rows of a batch in a table.
struct BatchRows {
  const StepBuffer* buffer;
  const std::uint32_t* given;

  BatchRows(const Exec& exec, Temporary& temporary, const std::uint32_t* rows, int count)
      : buffer(exec.step_buffer),
        given(buffer == nullptr ? temporary.copy(rows, static_cast<std::size_t>(count)) : nullptr) {
  }

  /// Returns the index of row i of the batch in the lists of the buffer.
  KERN_DEVICE static std::size_t place(const StepBuffer& b, std::size_t i) {
    const std::uint32_t step =
        b.sums.steps < b.before ? 0 : b.sums.steps - b.before;  // halted: any
    return static_cast<std::size_t>(step) * b.batch + i;
  }
  /// Returns the index of row i of the batch in the table.
  KERN_DEVICE std::size_t operator[](std::size_t i) const {
    if (buffer == nullptr) return given[i];
    return buffer->in_order != 0 ? i : buffer->rows[place(*buffer, i)];
  }
};

/// The factors of an optimizer.
struct UpdateNumbers {
  const StepBuffer* buffer;
  StepNumbers given;

  UpdateNumbers(const Exec& exec, const StepNumbers& numbers)
      : buffer(exec.step_buffer), given(numbers) {}

  /// Returns true if nothing may change any more.
  KERN_DEVICE bool halted() const { return buffer != nullptr && buffer->sums.halted != 0; }
  /// The sums count this step already, because its loss is known before the update.
  KERN_DEVICE StepNumbers get() const {
    return buffer == nullptr ? given : buffer->numbers[buffer->sums.steps - 1 - buffer->before];
  }
};

}  // namespace kern::KERN_ON
