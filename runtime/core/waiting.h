// How handles wait for a version: the interface between the templates of the public headers and the
// engine.
#pragma once

#include <coroutine>

#include "runtime/core/version.h"

namespace rt::inline v0::detail {

struct GroupState;

/// A coroutine that is suspended on a version, or on the first of several to arrive. Lives until
/// the coroutine is resumed. If the coroutine is destroyed while it is suspended, its awaiter calls
/// forget(), and nothing is resumed. Driver thread alone.
struct WaitRecord;

/// Demands the version for a coroutine; true when it is settled and the coroutine can go on at
/// once. Driver thread. Throws base::Error (usage) for an empty Value, or on another thread.
[[nodiscard]] bool start_await(Version* version);
/// Suspends `caller` until the version is settled; `*owner` is the record that forget() takes.
void suspend_on(Version* version, std::coroutine_handle<> caller, WaitRecord** owner);
void forget(WaitRecord* record) noexcept;
/// Frees a record whose coroutine never went on.
void delete_record(WaitRecord* record) noexcept;

/// The host object of a settled version, valid as long as the version is held; rethrows its error.
/// May wait until a buffer has come from a device.
[[nodiscard]] const void* settled_object(Version* version);

/// For rt::run: sleeps until a coroutine can go on, or
/// Engine::kLookAgain has passed. Throws base::Error (usage) when
/// none ever will.
void wait_progress(const Version* awaited);

}  // namespace rt::inline v0::detail
