#pragma once
// The verbs each program carries.

#include <span>

#include "cli/verb.h"

namespace cli {

/// Verbs of the thin program: they read what a study left on disk and load no arithmetic library.
[[nodiscard]] std::span<const Verb> read_verbs();
/// Verbs of the engine.
[[nodiscard]] std::span<const Verb> engine_verbs();
/// The one verb of the benchmarks' program.
[[nodiscard]] std::span<const Verb> bench_verbs();
/// The one verb of the server.
[[nodiscard]] std::span<const Verb> serve_verbs();

}  // namespace cli
