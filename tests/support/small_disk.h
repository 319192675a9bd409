// A file system of a few kilobytes over a folder, to meet a full or read-only disk in a test.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace support {

/// Mounts a tmpfs over `folder` for the object's life. Without the right to mount, `mounted()` is
/// false: skip the test.
class SmallDisk {
 public:
  /// `options` as for mount(8), e.g. "size=64k".
  SmallDisk(std::filesystem::path folder, const std::string& options) : folder_(std::move(folder)) {
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

  /// Makes it read-only from now on; true when that worked.
  bool make_read_only() {
    return ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace support
