// Values that the program sets by hand, and who waits for them.
#pragma once

#include <exception>
#include <list>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "runtime/core/version.h"

namespace rt::inline v0::detail {

/// A version without a producer, to be settled by `fulfil` or `refuse`.
[[nodiscard]] Held promised(const TypeOps* type);
void fulfil(Version* version, BoxRef box);
void refuse(Version* version, std::exception_ptr error);

/// Who sets a promised version.
enum class Promiser : std::uint8_t { program, coroutine };

/// Returns "main.cpp:7".
[[nodiscard]] std::string place_of(const std::source_location& where);

/// Poisons a promised version when the last of its promises goes without having set it. All guards
/// are in one list, so that who waits in vain can be told for what.
class PromiseGuard {
 public:
  PromiseGuard(Held version, Promiser by, std::source_location where);
  PromiseGuard(const PromiseGuard&) = delete;
  PromiseGuard& operator=(const PromiseGuard&) = delete;
  ~PromiseGuard();

  /// "the promise made at main.cpp:7, which was not set"
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Version* version() const noexcept { return version_.get(); }
  [[nodiscard]] bool open() const noexcept { return !version_->settled(); }
  [[nodiscard]] bool by_program() const noexcept { return by_ == Promiser::program; }

 private:
  Held version_;
  Promiser by_;
  std::source_location where_;
  std::list<const PromiseGuard*>::iterator entry_;
};

/// Returns the guards of all promises that are not set, those of the program first.
[[nodiscard]] std::vector<const PromiseGuard*> open_promises();

}  // namespace rt::inline v0::detail
