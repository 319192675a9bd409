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
#include <type_traits>
#include <utility>

#include "runtime/value.h"

namespace rt {

template <class T>
class [[nodiscard]] Async;

namespace detail {

/// What promises of all coroutines share: who is resumed at the end, and the error.
struct AsyncPromiseBase {
  std::coroutine_handle<> caller = std::noop_coroutine();
  std::exception_ptr error;

  std::suspend_always initial_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> self) const noexcept {
      return self.promise().caller;
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() const noexcept { return {}; }
};

template <class T>
struct AsyncPromise : AsyncPromiseBase {
  std::optional<T> result;
  Async<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& u) {
    result.emplace(std::forward<U>(u));
  }
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
template <class T>
class Async {
 public:
  using type = T;
  using promise_type = detail::AsyncPromise<T>;

  explicit Async(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  Async(Async&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Async& operator=(Async other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Async() {
    if (frame_) frame_.destroy();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> frame;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
        frame.promise().caller = caller;
        return frame;
      }
      T await_resume() const { return frame.promise().take(); }
    };
    return Awaiter{frame_};
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
Async<T> AsyncPromise<T>::get_return_object() noexcept {
  return Async<T>(std::coroutine_handle<AsyncPromise<T>>::from_promise(*this));
}
inline Async<void> AsyncPromise<void>::get_return_object() noexcept {
  return Async<void>(std::coroutine_handle<AsyncPromise<void>>::from_promise(*this));
}

/// A coroutine that nobody awaits: owned by the engine from its start to its end.
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

  static void enlist(std::coroutine_handle<> frame);
  static void delist(std::coroutine_handle<> frame) noexcept;
};

/// Runs a detached coroutine up to its first suspension, with the group entered now.
void start_detached(std::coroutine_handle<> frame);
/// An error that no handle can rethrow: rt::poll does.
void report_unheard(const Held& version, std::exception_ptr error);

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

/// Starts a coroutine that goes on by itself inside rt::poll, and returns its result as a value.
/// When it ends by an exception and nobody holds that value, rt::poll throws the exception. One
/// that never ends is destroyed with the Runtime.
template <class T>
Value<T> spawn(Async<T> body) {
  Promise<T> result;
  Value<T> value = result.value();
  detail::start_detached(detail::drive(std::move(body), std::move(result)).frame);
  return value;
}

}  // namespace rt
