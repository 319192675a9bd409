// The steps by which a file comes to be, for those that need more of them than write_file_atomic.
// Thread-safe. Nothing throws: 0 or an errno value.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/base/file.h"

namespace rt {

/// Letters, digits and dashes that nobody else comes to: no other call, no process that was forked
/// from this one, none of another container or machine, whose processes may have the same numbers.
[[nodiscard]] std::string unique_name();

/// A name in the folder of `path` for what becomes that file. Left behind by a killed process, it
/// is in nobody's way.
[[nodiscard]] Path temporary_beside(const Path& path);

/// Removes what killed processes left in the folder under such names an hour ago or more.
void remove_leftovers(const Path& folder) noexcept;

/// Writes everything.
[[nodiscard]] int write_all(int fd, std::span<const std::byte> content);

/// Brings a file's content to the disk, or a folder's names.
[[nodiscard]] int sync_file(const Path& path);
[[nodiscard]] int sync_folder(const Path& folder);

/// Where a file of that name lies: "." for a mere name.
[[nodiscard]] Path folder_of(const Path& path);

}  // namespace rt
