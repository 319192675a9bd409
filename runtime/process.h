// What a program says once of all its runtimes: its arithmetic, and how worker threads begin.
#pragma once

#include <string>

namespace rt::inline v0 {

enum class Device : unsigned char;

/// The arithmetic this process computes with (build, libraries, instruction set, precision): part
/// of every pure task's key, so that results of another arithmetic are never taken for ours. Set it
/// before the first call; empty until then.
void set_fingerprint(std::string fingerprint);
/// The same for what one kind of device adds to it for its own tasks; of a GPU it may be set later,
/// before the first call for one.
void set_fingerprint(Device kind, std::string fingerprint);

/// A function run once in every worker thread before any task (and on the driver thread by the
/// sequential executor), for floating-point modes and thread counts of libraries. Also runs in the
/// workers that exist already. Must not throw.
void on_worker_start(void (*function)());

}  // namespace rt::inline v0
