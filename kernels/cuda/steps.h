#pragma once
// What kernels read of the step that they are in, out of the course where there is one, else out of
// their arguments.

#include "kernels/course.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/temporary.h"

namespace kern::KERN_ON {

/// Which rows of a table a batch has.
struct BatchRows {
  const Course* course;
  const std::uint32_t* given;

  BatchRows(const Exec& exec, Temporary& temporary, const std::uint32_t* rows, int count)
      : course(exec.course),
        given(course == nullptr ? temporary.copy(rows, static_cast<std::size_t>(count)) : nullptr) {
  }

  /// In the lists of the course: of row i of the batch.
  KERN_DEVICE static std::size_t place(const Course& c, std::size_t i) {
    const std::uint32_t step =
        c.sums.steps < c.before ? 0 : c.sums.steps - c.before;  // halted: any
    return static_cast<std::size_t>(step) * c.batch + i;
  }
  /// In the table.
  KERN_DEVICE std::size_t operator[](std::size_t i) const {
    if (course == nullptr) return given[i];
    return course->in_order != 0 ? i : course->rows[place(*course, i)];
  }
};

/// What an optimizer multiplies by.
struct UpdateNumbers {
  const Course* course;
  StepNumbers given;

  UpdateNumbers(const Exec& exec, const StepNumbers& numbers)
      : course(exec.course), given(numbers) {}

  /// Nothing may change any more.
  KERN_DEVICE bool halted() const { return course != nullptr && course->sums.halted != 0; }
  /// The loss of the step is known by now: it is the last of those that are.
  KERN_DEVICE StepNumbers get() const {
    return course == nullptr ? given : course->numbers[course->sums.steps - 1 - course->before];
  }
};

}  // namespace kern::KERN_ON
