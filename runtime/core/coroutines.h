// The coroutines that the driver resumes, and those that it owns.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <unordered_set>
#include <utility>

#include "runtime/core/version.h"
#include "runtime/core/waiting.h"

namespace rt::inline v0::detail {

/// Driver thread only.
class Coroutines {
 public:
  Coroutines() = default;
  Coroutines(const Coroutines&) = delete;
  Coroutines& operator=(const Coroutines&) = delete;
  ~Coroutines();

  /// Takes over the record of a coroutine that can go on.
  void add_ready(WaitRecord* record) { ready_.push_back(record); }
  /// True if a coroutine can go on.
  [[nodiscard]] bool any_ready() const noexcept { return !ready_.empty(); }
  /// Returns the record that came first, for the caller to delete; null if there is none.
  [[nodiscard]] WaitRecord* take_ready() noexcept;

  /// Takes over the frame of a spawned coroutine.
  void add_spawned(std::coroutine_handle<> frame) { spawned_.insert(frame.address()); }
  /// Forgets the frame of a spawned coroutine, which has come to its end.
  void remove_spawned(std::coroutine_handle<> frame) noexcept { spawned_.erase(frame.address()); }
  /// Destroys the frames of all spawned coroutines.
  void destroy_spawned() noexcept;

  /// Keeps the error that a spawned coroutine ended with, and that its value has.
  void add_error(const Held& version, std::exception_ptr error) {
    errors_.push_back({version, std::move(error)});
  }
  /// Throws the oldest error whose value nobody else holds, and forgets those that somebody can
  /// hear of.
  void throw_unheard();
  /// Forgets all errors.
  void forget_errors() noexcept { errors_.clear(); }

 private:
  struct Error {
    Held version;
    std::exception_ptr error;
  };

  std::deque<WaitRecord*> ready_;      ///< owned
  std::unordered_set<void*> spawned_;  ///< frames, owned
  std::deque<Error> errors_;
};

}  // namespace rt::inline v0::detail
