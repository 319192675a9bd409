// What happens when a task fails, and the exceptions that say so.
//
// - retry(n): the inputs are restored and it runs again, up to n more times; then what the policy
//   after it says.
// - ignore(defaults): an inout argument is as before the task, out arguments and the result are the
//   defaults; tasks that read them run.
// - cancel_successors: the outputs are poisoned with the error, tasks that read them are cancelled,
//   the rest of the group runs; get() rethrows.
// - fail: the same, and the rest of its group and everything else is cancelled; wait_all()
//   rethrows.
//
// Without a policy a task has cancel_successors and no retry: a C++ exception is usually there
// again the second time. A cancelled group's queued tasks end as cancelled, whatever their policy.
#pragma once

#include <exception>
#include <new>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace rt::inline v0 {

/// What is done once no attempt is left.
enum class OnFailure : unsigned char { cancel_successors, ignore, fail };

/// Attempts, then going on with defaults; made by `ignore`.
template <class... D>
struct IgnorePolicy {
  int retries = 0;
  std::tuple<D...> defaults;
};

/// Attempts, then poison.
struct FailurePolicy {
  int retries = 0;
  OnFailure last = OnFailure::cancel_successors;

  /// The same attempts, then `next`: retry(2).then(fail), retry(1).then(ignore(0.0)).
  [[nodiscard]] constexpr FailurePolicy then(FailurePolicy next) const {
    return {retries + next.retries, next.last};
  }
  template <class... D>
  [[nodiscard]] IgnorePolicy<D...> then(IgnorePolicy<D...> next) const {
    next.retries += retries;
    return next;
  }
};

/// Poisons the outputs with the error; tasks that read them are cancelled. The default.
inline constexpr FailurePolicy cancel_successors{};

/// Cancels the task's group and everything that runs; `rt::wait_all()` rethrows.
inline constexpr FailurePolicy fail{0, OnFailure::fail};

/// Up to `times` more attempts, each on the inputs as they were before the first. Costs a copy of
/// each inout argument.
[[nodiscard]] constexpr FailurePolicy retry(int times) {
  return {times, OnFailure::cancel_successors};
}

/// Goes on as if nothing had happened: inout arguments are as before the task; `defaults` stand for
/// the out arguments in their order, then for the result (none for a task that returns nothing).
template <class... D>
[[nodiscard]] IgnorePolicy<D...> ignore(D... defaults) {
  return {0, std::tuple<D...>(std::move(defaults)...)};
}

/// The failure of a task, as `get()`, `co_await` and `wait` rethrow it: the first error of a chain,
/// never one of those that follow from it. The body's own exception is nested
/// (std::rethrow_if_nested).
class TaskError : public base::Error, public std::nested_exception {
 public:
  struct Details {
    std::string task;            ///< the task's name
    int attempt = 1;             ///< the attempt that failed last, from 1
    int attempts = 1;            ///< how many there could have been
    std::string worker;          ///< where it ran, e.g. "cpu 1"
    std::string arguments;       ///< constants and the shapes of the values, e.g. "Slab[64x32], 3"
    std::string reason;          ///< what() of the body's exception
    std::source_location where;  ///< the call that made the task
  };

  /// To be made inside a catch block: nests the exception being handled and takes over its kind
  /// when it is a base::Error.
  explicit TaskError(Details details);
  ~TaskError() override;
  TaskError(const TaskError&) = default;
  TaskError& operator=(const TaskError&) = default;

  [[nodiscard]] const Details& details() const noexcept { return details_; }

 private:
  Details details_;
};

/// Rethrown by `get()` for a value whose task was cancelled with its group, or because another
/// task's policy was `fail`.
class Cancelled : public base::Error {
 public:
  explicit Cancelled(const std::string& message);
  ~Cancelled() override;
  Cancelled(const Cancelled&) = default;
  Cancelled& operator=(const Cancelled&) = default;
};

/// Nested in the error of a task that no device of its kind could ever hold: another attempt here
/// ends the same way.
class NoRoom : public std::bad_alloc {
 public:
  NoRoom() noexcept = default;
  ~NoRoom() override;
};

/// For bodies to throw when an argument has the wrong shape, and thrown by the runtime when an
/// inout body resized its buffer.
class ShapeError : public base::Error {
 public:
  explicit ShapeError(const std::string& message);
  ~ShapeError() override;
  ShapeError(const ShapeError&) = default;
  ShapeError& operator=(const ShapeError&) = default;
};

}  // namespace rt::inline v0
