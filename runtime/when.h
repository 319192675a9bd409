// Waiting for several values.
//
// - rt::wait(a, b)            blocks the driver thread
// - co_await rt::when_all(v)  suspends a coroutine until all are there
// - rt::as_completed(v)       gives them one by one, whichever is there first
//
// Each demands all its values before it waits for the first, so their tasks run side by side.
// Driver thread only, not inside a task's body (base::Error, usage).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/async.h"

namespace rt::inline v0 {

/// Blocks until the values have settled, then rethrows the first error in the order of the
/// arguments, if any. An error ends the wait at once: values after it may still be in the making.
/// Coroutines do not go on meanwhile.
template <class... T>
void wait(const Value<T>&... values) {
  (values.demand(), ...);
  ((void)values.get(), ...);
}

/// All the contents, in order: `co_await rt::when_all(values)`. Everything is demanded first, so it
/// runs at the same time. When some fail, the first error in the order of the values is rethrown
/// once those before it are there. The contents are copied; the values are kept by the coroutine,
/// so none is dropped while it waits. Of no values at all: an empty result, at once.
template <class T>
Async<std::vector<T>> when_all(std::vector<Value<T>> values) {
  for (const Value<T>& value : values) value.demand();
  std::vector<T> contents;
  contents.reserve(values.size());
  for (const Value<T>& value : values) contents.push_back(co_await value);
  co_return contents;
}
/// The ends of tasks that return nothing.
inline Async<void> when_all(std::vector<Value<void>> values) {
  for (const Value<void>& value : values) value.demand();
  for (const Value<void>& value : values) co_await value;
}
/// Values of different types; none of them Value<void>.
template <class... T>
Async<std::tuple<T...>> when_all(Value<T>... values) {
  (values.demand(), ...);
  co_return std::tuple<T...>{(co_await values)...};
}

/// Coroutines side by side: all are started, in order, then their results come in order. When one
/// throws, the others go on by themselves; what a later one throws after that comes out of
/// rt::poll.
template <class T>
Async<std::vector<T>> when_all(std::vector<Async<T>> bodies) {
  std::vector<Value<T>> values;
  for (Async<T>& body : bodies) values.push_back(spawn(std::move(body)));
  co_return co_await when_all(std::move(values));
}
inline Async<void> when_all(std::vector<Async<void>> bodies) {
  std::vector<Value<void>> values;
  for (Async<void>& body : bodies) values.push_back(spawn(std::move(body)));
  co_await when_all(std::move(values));
}

namespace detail {

/// Indices of settled values, in the order in which they settled. Owns a share of what its watches
/// write into, so it may go while they are under way. Movable; at most one coroutine waits on it.
class Arrivals {
 public:
  Arrivals();
  ~Arrivals();
  Arrivals(Arrivals&&) noexcept;
  Arrivals& operator=(Arrivals&&) noexcept;
  /// Gives the version the next index, from 0. Holds it until it has settled.
  void watch(const Held& version);
  /// The next index that has not been given out, if one has arrived.
  [[nodiscard]] std::optional<std::size_t> take();
  [[nodiscard]] bool exhausted() const noexcept;  ///< every index was given out
  void block();                                   ///< until one has arrived
  /// Resumes the coroutine from rt::poll once one has arrived.
  void suspend(std::coroutine_handle<> caller, WaitRecord** owner);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace detail

/// Values in the order in which they settle, in whatever way. In ordinary code a range of indices
/// that blocks the driver thread between two, in a coroutine asked one at a time:
///
/// - for (std::size_t i : rt::as_completed(values)) use(i, values[i]);
/// - auto arrivals = rt::as_completed(values);
/// - while (auto i = co_await arrivals.next()) use(*i, values[*i]);
///
/// Indices are positions in the list. The order is real time's and differs from run to run, so a
/// result may not hang on it. Demands all values and holds those that have not settled. A failed
/// value arrives like any other: its get() rethrows. Single pass.
class AsCompleted {
 public:
  template <class T>
  explicit AsCompleted(const std::vector<Value<T>>& values) {
    for (const Value<T>& value : values) value.demand();
    for (const Value<T>& value : values) arrivals_.watch(value.version());
  }

  /// Awaitable; nothing once all were given out.
  auto next() {
    struct Awaiter {
      detail::Arrivals& arrivals;
      std::optional<std::size_t> index;
      detail::WaitRecord* record = nullptr;
      explicit Awaiter(detail::Arrivals& asked) : arrivals(asked) {}
      Awaiter(const Awaiter&) = delete;
      Awaiter& operator=(const Awaiter&) = delete;
      ~Awaiter() { detail::forget(record); }
      bool await_ready() { return arrivals.exhausted() || (index = arrivals.take()).has_value(); }
      void await_suspend(std::coroutine_handle<> caller) { arrivals.suspend(caller, &record); }
      std::optional<std::size_t> await_resume() {
        if (!index && !arrivals.exhausted()) index = arrivals.take();
        return index;
      }
    };
    return Awaiter(arrivals_);
  }

  /// Blocks; nothing once all were given out.
  std::optional<std::size_t> wait_next() {
    if (arrivals_.exhausted()) return std::nullopt;
    arrivals_.block();
    return arrivals_.take();
  }

  /// Just enough of an iterator for a range-based loop: each step waits for the next arrival.
  class Iterator {
   public:
    explicit Iterator(AsCompleted* owner) : owner_(owner) {
      if (owner_ != nullptr) ++*this;
    }
    std::size_t operator*() const { return *index_; }
    Iterator& operator++() {
      index_ = owner_->wait_next();
      return *this;
    }
    bool operator!=(std::nullptr_t) const { return index_.has_value(); }

   private:
    AsCompleted* owner_;
    std::optional<std::size_t> index_;
  };
  Iterator begin() { return Iterator(this); }
  std::nullptr_t end() { return nullptr; }

 private:
  detail::Arrivals arrivals_;
};

template <class T>
[[nodiscard]] AsCompleted as_completed(const std::vector<Value<T>>& values) {
  return AsCompleted(values);
}

}  // namespace rt::inline v0
