#pragma once
// Stands in for fsync: remembers what was brought to the disk, and when. For one file of a test
// program, because it defines the function; libraries that the program loads call it, too.

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// A file or folder at the moment when it was synced.
struct Synced {
  std::filesystem::path path;
  std::string content;             ///< of a file
  std::vector<std::string> names;  ///< of the files in a folder
};

namespace detail {
inline std::mutex synced_mutex;
inline std::vector<Synced> synced;
}  // namespace detail

/// What was synced since the last call, in order.
inline std::vector<Synced> synced() {
  const std::scoped_lock lock(detail::synced_mutex);
  return std::exchange(detail::synced, {});
}

}  // namespace support

extern "C" int fsync(int fd) {
  std::error_code ignored;
  support::Synced one{
      .path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored),
      .content = {},
      .names = {}};
  if (std::filesystem::is_directory(one.path, ignored)) {
    for (const auto& entry : std::filesystem::directory_iterator(one.path))
      one.names.push_back(entry.path().filename());
    std::ranges::sort(one.names);
  } else {
    std::ifstream file(one.path);
    one.content.assign(std::istreambuf_iterator<char>(file), {});
  }
  {
    const std::scoped_lock lock(support::detail::synced_mutex);
    support::detail::synced.push_back(std::move(one));
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
