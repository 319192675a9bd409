// The processes that came from this one, however they left their groups and parents.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace base {

/// All of them that live now, from /proc.
[[nodiscard]] std::vector<pid_t> descendants();

/// Those of them whose parent is this process itself.
[[nodiscard]] std::vector<pid_t> children();

/// Bytes of memory that they have resident, shared pages counted once for each.
[[nodiscard]] std::uint64_t resident_bytes(const std::vector<pid_t>& processes);

/// The same with each shared page divided among those that share it, where the system tells. Much
/// dearer: the kernel walks through all pages.
[[nodiscard]] std::uint64_t proportional_bytes(const std::vector<pid_t>& processes);

}  // namespace base
