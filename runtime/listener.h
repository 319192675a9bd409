// What bodies say while they run, heard by whoever called them.
//
//   rt::Value<End> end = program(trial);
//   const rt::Listener listener(end, [](std::string_view text) { ... });  // Context::tell
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "runtime/core/version.h"
#include "runtime/value.h"

namespace rt::inline v0 {

/// Listens to the call that makes a value, until it is destroyed. Driver thread only.
class Listener {
 public:
  /// Called on the driver thread when it polls or waits, in the order in which it was said: of a
  /// call that runs in another process before the value is there, of one that runs here perhaps
  /// later. A body that runs again (another attempt, or because the process was lost that ran it)
  /// begins anew. May destroy the Listener.
  using Heard = std::function<void(std::string_view text)>;

  /// Nothing is heard of a value that is there already, or that another call or the store answers.
  template <class T>
  Listener(const Value<T>& value, Heard heard) : Listener(value.version(), std::move(heard)) {}
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The same, of any type.
  Listener(const detail::Held& version, Heard heard);

 private:
  detail::Node* node_;  ///< one reference; null: nobody makes it
};

}  // namespace rt::inline v0
