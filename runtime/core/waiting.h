// How handles wait for a version: the boundary between the templates of the public headers and the
// engine.
#pragma once

#include <coroutine>

#include "runtime/core/version.h"

namespace rt::detail {

struct GroupState;

/// A coroutine suspended on a version, or on the first of several. Owned by the engine once
/// suspended; `forget` makes it harmless when the coroutine is destroyed before that.
struct WaitRecord;

/// Demands the version for a coroutine; true when it is settled and the coroutine can go on at
/// once.
[[nodiscard]] bool start_await(Version* version);
void suspend_on(Version* version, std::coroutine_handle<> caller, WaitRecord** owner);
void forget(WaitRecord* record) noexcept;
void delete_record(WaitRecord* record) noexcept;

/// The host object of a settled version; rethrows its error.
[[nodiscard]] const void* settled_object(Version* version);

/// For rt::run: sleeps until a coroutine can go on, or a little. Throws base::Error (usage) when
/// none ever will.
void wait_progress(const Version* awaited);

}  // namespace rt::detail
