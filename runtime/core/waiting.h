// How handles wait for a version: the border between the templates of the public headers and the
// engine.
#pragma once

#include <coroutine>
#include <exception>

#include "runtime/core/version.h"

namespace rt::detail {

struct GroupState;

/// A coroutine suspended on a version. Owned by the engine once suspended; `forget` makes it
/// harmless when the coroutine is destroyed before the version settles.
struct WaitRecord;

/// Demands the version for a coroutine; true when it is settled and the coroutine can go on at
/// once.
[[nodiscard]] bool start_await(Version* version);
void suspend_on(Version* version, std::coroutine_handle<> caller, WaitRecord** owner);
void forget(WaitRecord* record) noexcept;
void delete_record(WaitRecord* record) noexcept;

/// The host object of a settled version; rethrows its error.
[[nodiscard]] const void* settled_object(Version* version);

/// A version without a producer, to be settled by `fulfil` or `refuse`.
[[nodiscard]] Held promised(const TypeOps* type);
void fulfil(Version* version, BoxRef box);
void refuse(Version* version, std::exception_ptr error);

/// Poisons a promised version when the last of its promises goes without having set it.
class PromiseGuard {
 public:
  explicit PromiseGuard(Held version) : version_(std::move(version)) {}
  PromiseGuard(const PromiseGuard&) = delete;
  PromiseGuard& operator=(const PromiseGuard&) = delete;
  ~PromiseGuard();

 private:
  Held version_;
};

/// Resumes `caller` from rt::poll, with the group that is entered now.
void resume_later(std::coroutine_handle<> caller);

}  // namespace rt::detail
