// Values: what tasks take and make. A Value names one version of something that may still be in the
// making.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "runtime/core/promises.h"
#include "runtime/core/version.h"
#include "runtime/core/waiting.h"

namespace rt::inline v0 {

/// How a value stands.
enum class State : std::uint8_t {
  waiting,    ///< not made yet: its task was not asked for, is queued or runs
  ready,      ///< there
  failed,     ///< its task failed; get() rethrows the TaskError
  cancelled,  ///< its task never ran: it would have read a failed value, or was cancelled; get()
              ///< rethrows why
};

/// The state's name in lower case.
[[nodiscard]] const char* state_name(State state) noexcept;

namespace detail {

/// What handles of all types have in common. Copies name the same version. Driver thread only.
class ValueBase {
 public:
  ValueBase() noexcept = default;
  explicit ValueBase(Held version) noexcept : version_(std::move(version)) {}

  /// Whether it names anything. Using an empty Value is a base::Error (usage).
  explicit operator bool() const noexcept { return static_cast<bool>(version_); }
  [[nodiscard]] State state() const;
  /// Whether get() would not wait: ready, failed or cancelled.
  [[nodiscard]] bool ready() const { return state() != State::waiting; }

  /// The value's name by content or by how it was made; equal keys mean equal content. Of a value
  /// that comes from a task that is not pure, it is known only once the value is there (waits for
  /// it).
  [[nodiscard]] base::Key key() const;

  /// Asks for it without waiting: its task, and what that needs, start as soon as they can.
  void demand() const;

  [[nodiscard]] const Held& version() const noexcept { return version_; }

 protected:
  /// Blocks until settled, rethrows its error, returns the host object.
  [[nodiscard]] const void* wait_object() const;
  Held version_;
};

/// The awaiter of a Value; `T` is void, or the content's type.
template <class T, bool Keep>
struct ValueAwaiter {
  Held version;
  WaitRecord* record = nullptr;

  [[nodiscard]] bool await_ready() const { return start_await(version.get()); }
  void await_suspend(std::coroutine_handle<> caller) { suspend_on(version.get(), caller, &record); }
  decltype(auto) await_resume() {
    if constexpr (std::is_void_v<T>) {
      (void)settled_object(version.get());
    } else if constexpr (Keep) {
      return *static_cast<const T*>(settled_object(version.get()));
    } else {
      static_assert(
          std::is_copy_constructible_v<T>,
          "rt: keep the Value in a variable and co_await that: its content can't be copied out");
      return T(*static_cast<const T*>(settled_object(version.get())));
    }
  }
  ValueAwaiter(const Held& v) : version(v) {}
  ValueAwaiter(const ValueAwaiter&) = delete;
  ValueAwaiter& operator=(const ValueAwaiter&) = delete;
  ~ValueAwaiter() { forget(record); }
};

}  // namespace detail

/// A handle to one version of a T that is there, or will be. Cheap to copy (a counter). A Value
/// passed as `inout`, `out`, `commutative` or `redux` argument names the new version afterwards;
/// copies made before still name the old one.
///
/// Who asks for what: a task that is not pure runs anyway; a pure one runs only when its value is
/// demanded, by
///
/// - co_await v: demands v and nothing else, and suspends the coroutine; never blocks a thread
/// - v.get(): blocks the driver thread, therefore demands besides v everything else that a handle
///   still names
/// - v.demand(): demands v and goes on
///
/// Inside a task's body, get() is an error: a body that waits blocks a worker. Take the value as
/// in<T>.
///
/// T is Encodable (its content then counts as equal when its bytes are) or a BufferType.
template <class T>
class Value : public detail::ValueBase {
 public:
  using type = T;
  Value() noexcept = default;
  explicit Value(detail::Held version) noexcept : ValueBase(std::move(version)) {
    detail::require_value<T>();
  }

  /// Waits, then the content: valid while this or another handle names the version. Rethrows the
  /// error that poisoned it.
  const T& get() const& { return *static_cast<const T*>(wait_object()); }
  /// The same of a temporary: a copy.
  T get() && {
    static_assert(std::is_copy_constructible_v<T>,
                  "rt: keep the Value in a variable: its content can't be copied out");
    return *static_cast<const T*>(wait_object());
  }

  auto operator co_await() const& { return detail::ValueAwaiter<T, true>(version_); }
  auto operator co_await() && { return detail::ValueAwaiter<T, false>(version_); }
};

/// The end of a task that returns nothing: to be waited for.
template <>
class Value<void> : public detail::ValueBase {
 public:
  using type = void;
  using ValueBase::ValueBase;
  void get() const { (void)wait_object(); }
  auto operator co_await() const { return detail::ValueAwaiter<void, true>(version_); }
};

/// A value that is there already. A buffer keeps its memory; the runtime owns it from now on. Needs
/// no Runtime.
template <class T>
[[nodiscard]] Value<std::decay_t<T>> value(T&& content) {
  using Plain = std::decay_t<T>;
  detail::require_value<Plain>();
  return Value<Plain>(detail::given(detail::make_box(Plain(std::forward<T>(content)))));
}

/// What the store of the Runtime has under a key, as a value that the key names; nothing when it
/// has nothing there, or what is there cannot be read as a T. Looks at once, and reads the whole
/// entry. For results whose key was written down and cannot be computed any more: those that
/// another arithmetic made. Driver thread only.
template <class T>
[[nodiscard]] std::optional<Value<T>> stored(const base::Key& key) {
  detail::require_value<T>();
  detail::Held version = detail::stored_version(*detail::type_ops<T>(), key);
  if (!version) return std::nullopt;
  return Value<T>(std::move(version));
}

/// A buffer of known header without content, to be passed as an `out` argument. No memory is taken
/// until its task runs.
template <BufferType T>
[[nodiscard]] Value<T> uninitialised(typename T::Header header) {
  detail::BoxRef box = detail::make_box(T(std::move(header), nullptr));
  Value<T> made(detail::given(std::move(box)));
  made.version()->blank = true;
  return made;
}

template <class T>
class [[nodiscard]] Async;

template <class T>
Value<T> spawn(Async<T> body, std::source_location where = std::source_location::current());

/// A value that the program sets by hand, once: a bridge between coroutines, timers, users and
/// tasks. Its value() can be awaited, read and passed to tasks, which then wait for it. A handle:
/// copies set the same value, and when the last one goes without having set it, the value is
/// poisoned.
///
/// Driver thread only: what another thread has for a promise, it leaves where the driver finds it,
/// and calls rt::wake(). So whoever blocks the driver thread (get, wait_all, Group::wait, a loop
/// over as_completed) can wait for tasks behind a promise only if it is set already: once nothing
/// else runs, the wait is an error that names task and promise, and the tasks still wait. The end
/// of the Runtime poisons promises that tasks wait for.
template <class T>
class Promise {
 public:
  /// `where` is for messages.
  explicit Promise(std::source_location where = std::source_location::current())
      : Promise(detail::Promiser::program, where) {}
  [[nodiscard]] Value<T> value() const { return value_; }

  /// Setting twice is a base::Error (usage).
  template <class U = T>
  void set(U&& content) const requires(!std::is_void_v<T>) {
    detail::fulfil(value_.version().get(), detail::make_box(T(std::forward<U>(content))));
  }
  void set() const requires(std::is_void_v<T>) {
    detail::fulfil(value_.version().get(), detail::make_box(detail::Nothing{}));
  }
  /// Poisons the value: get() and co_await rethrow the error, tasks that read it are cancelled.
  void fail(std::exception_ptr error) const {
    detail::refuse(value_.version().get(), std::move(error));
  }

 private:
  Promise(detail::Promiser by, std::source_location where)
      : value_(detail::promised(detail::type_ops<T>())),
        guard_(std::make_shared<detail::PromiseGuard>(value_.version(), by, where)) {}
  friend Value<T> spawn<T>(Async<T>, std::source_location);

  Value<T> value_;
  std::shared_ptr<detail::PromiseGuard> guard_;
};

}  // namespace rt::inline v0
