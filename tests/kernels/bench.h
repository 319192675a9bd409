#pragma once

namespace kern::test {

/// Prints us, GF/s and the share of this core's measured multiply-add peak for the shapes of small
/// networks. Returns the exit status.
int run_benchmarks();

}  // namespace kern::test
