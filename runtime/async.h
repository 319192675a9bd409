// Coroutines on the driver thread: code that waits for values without blocking anything.
//
//   rt::Async<double> trial(Params p) {
//     auto net = tasks::init(p);
//     ...
//     co_return co_await tasks::evaluate(net);
//   }
//   rt::Value<double> v = rt::spawn(trial(p));     // starts at once, goes on inside rt::poll
//   double best = rt::run(whole_study());          // or: starts and polls until it is done
//
// Coroutines run on the driver thread only, one at a time, inside spawn, poll and run; between two
// `co_await`s nothing else of the driver happens. A coroutine's state is never saved. Destroying an
// Async that did not finish destroys its frame; tasks it called go on.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "runtime/value.h"

namespace rt::inline v0 {

template <class T>
class [[nodiscard]] Async;

namespace detail {

/// What promises of all coroutines share: who is resumed at the end, and the error. Lives in the
/// coroutine's frame. Suspended at the start (the coroutine is lazy) and at the end (its owner
/// takes the result out of the frame before it destroys it).
struct AsyncPromiseBase {
  /// Resumed at the end; nobody while the coroutine is not awaited.
  std::coroutine_handle<> caller = std::noop_coroutine();
  /// True while the caller's co_await runs it up to its first wait: the caller then goes on by
  /// itself, if that is the end.
  bool starting = false;
  /// What the body threw; kept for who awaits it, so nothing leaves through resume().
  std::exception_ptr error;

  std::suspend_always initial_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  /// Goes on with the caller, in the place of this coroutine on the stack. The frame stays until
  /// its Async goes, so that the caller finds the result in it.
  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> self) const noexcept {
      return self.promise().starting ? std::noop_coroutine() : self.promise().caller;
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() const noexcept { return {}; }
};

/// The promise of an Async<T>. `result` is empty until co_return, and for good after an exception.
template <class T>
struct AsyncPromise : AsyncPromiseBase {
  std::optional<T> result;
  Async<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& u) {
    result.emplace(std::forward<U>(u));
  }
  /// The result, moved out (once), or the error. Only after the end.
  T take() {
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }
};

template <>
struct AsyncPromise<void> : AsyncPromiseBase {
  Async<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace detail

/// A coroutine that yields a T. Lazy: it starts when it is awaited (by another coroutine), spawned
/// or run. Move-only; awaited once. An exception it throws is rethrown to who awaits it.
///
/// Owns the frame, and with it the parameters and locals of the coroutine: parameters are copied or
/// moved into it at the call, but what a reference parameter or a lambda's capture names is not.
/// So give coroutines their parameters by value, and let a lambda that is one capture nothing.
///
/// Name it before it is awaited, as in `rt::Async<T> body = f(x); co_await std::move(body);`, where
/// the expression has other temporaries. GCC 12 destroys some temporaries of an expression with
/// co_await twice: aggregates, as in `co_await f({.a = x})`, and those of `? :`. It refuses braced
/// lists there ("array used as initializer"). GCC bug 99576, mended in GCC 13; clang is right.
/// Destroyed while it is suspended, it runs the destructors of its locals and never goes on; what
/// awaits it is never resumed either.
template <class T>
class Async {
 public:
  using type = T;
  using promise_type = detail::AsyncPromise<T>;

  /// Takes the frame over. Called by the compiler where a coroutine starts.
  explicit Async(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  Async(Async&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Async& operator=(Async other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Async() {
    if (frame_) frame_.destroy();
  }

  /// `co_await std::move(body)`, or `co_await f(x)` without other temporaries: runs it up to its
  /// first wait at once, on this stack, and goes on when it has ended. The tasks it calls belong to
  /// the group that is entered where it starts.
  auto operator co_await() && noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> frame;
      bool await_ready() const noexcept { return false; }
      /// Not by a transfer to the frame: below -O2, GCC makes a call of it (bug 100897), and a loop
      /// over coroutines that end at once would nest until the stack is full.
      bool await_suspend(std::coroutine_handle<> caller) const noexcept {
        promise_type& started = frame.promise();
        started.caller = caller;
        started.starting = true;
        frame.resume();
        started.starting = false;
        return !frame.done();
      }
      T await_resume() const { return frame.promise().take(); }
    };
    return Awaiter{frame_};
  }

 private:
  std::coroutine_handle<promise_type> frame_;  ///< owned; null once it was moved from
};

namespace detail {

template <class T>
Async<T> AsyncPromise<T>::get_return_object() noexcept {
  return Async<T>(std::coroutine_handle<AsyncPromise<T>>::from_promise(*this));
}
inline Async<void> AsyncPromise<void>::get_return_object() noexcept {
  return Async<void>(std::coroutine_handle<AsyncPromise<void>>::from_promise(*this));
}

/// A coroutine that nobody awaits: owned by the engine from its start to its end. Its frame frees
/// itself at the end; those that are left are destroyed by the end of the Runtime.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    promise_type() noexcept { enlist(std::coroutine_handle<promise_type>::from_promise(*this)); }
    ~promise_type() { delist(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;

  /// Into and out of the engine's list. enlist throws base::Error (usage) off the driver thread.
  static void enlist(std::coroutine_handle<> frame);
  static void delist(std::coroutine_handle<> frame) noexcept;
};

/// Runs a detached coroutine up to its first suspension, with the group entered now.
void start_detached(std::coroutine_handle<> frame);
/// An error that no handle can rethrow: rt::poll does, unless somebody holds the value by then.
void report_unheard(const Held& version, std::exception_ptr error);

/// Awaits the body and settles the promise with what it returned or threw. Throws nothing itself.
template <class T>
Detached drive(Async<T> body, Promise<T> result) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(body);
      result.set();
    } else {
      result.set(co_await std::move(body));
    }
  } catch (...) {
    report_unheard(result.value().version(), std::current_exception());
    result.fail(std::current_exception());
  }
}

}  // namespace detail

/// Starts a coroutine that goes on by itself inside rt::poll, and returns its result as a value:
/// to be awaited by any number of coroutines, or passed to tasks, which then wait for it. Runs the
/// body up to its first wait before it returns. T as for rt::Value. Driver thread only, not inside
/// a task's body (base::Error, usage). When it ends by an exception and nobody holds that value,
/// rt::poll throws the exception. One that never ends is destroyed with the Runtime. `where` is for
/// messages.
template <class T>
Value<T> spawn(Async<T> body, std::source_location where) {
  Promise<T> result(detail::Promiser::coroutine, where);
  Value<T> value = result.value();
  detail::start_detached(detail::drive(std::move(body), std::move(result)).frame);
  return value;
}

}  // namespace rt::inline v0
