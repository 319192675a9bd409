#pragma once
// Memory of the calling thread in which a kernel rearranges its operands.

#include <cstddef>

namespace kern::cpu {

constexpr std::size_t kPackFloats = 160 * 1024;

/// `kPackFloats` floats, 64-byte aligned, contents undefined; allocated at a thread's first call,
/// freed at its end.
[[nodiscard]] float* pack_memory();

}  // namespace kern::cpu
