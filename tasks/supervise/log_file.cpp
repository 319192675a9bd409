#include "tasks/supervise/log_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tasks {

namespace {

constexpr std::size_t kMostTail = 64 * 1024;

/// A disk without room keeps what it has; the program is not to blame.
void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

LogFile::LogFile(int fd, std::uint64_t most)
    : fd_(fd), tail_room_(static_cast<std::size_t>(std::min<std::uint64_t>(most / 2, kMostTail))) {
  head_left_ = most - tail_room_;
}

void LogFile::take(const char* data, std::size_t size) {
  const auto head = static_cast<std::size_t>(std::min<std::uint64_t>(size, head_left_));
  write_all(fd_, data, head);
  head_left_ -= head;
  data += head;
  size -= head;
  if (size == 0 || tail_room_ == 0) return void(tail_bytes_ += size);
  tail_.resize(tail_room_);
  if (size > tail_room_) {
    tail_bytes_ += size - tail_room_;
    data += size - tail_room_;
    size = tail_room_;
  }
  const std::size_t at = tail_bytes_ % tail_room_;
  const std::size_t first = std::min(size, tail_room_ - at);
  std::memcpy(tail_.data() + at, data, first);
  std::memcpy(tail_.data(), data + first, size - first);
  tail_bytes_ += size;
}

std::uint64_t LogFile::finish() {
  const std::uint64_t kept = std::min<std::uint64_t>(tail_bytes_, tail_.size());
  const std::uint64_t missing = tail_bytes_ - kept;
  if (missing > 0) {
    char line[96];
    const int length = std::snprintf(line, sizeof line, "\n[%llu bytes of output left out]\n",
                                     static_cast<unsigned long long>(missing));
    write_all(fd_, line, static_cast<std::size_t>(length));
  }
  if (kept == 0) return missing;
  const std::size_t begin = missing > 0 ? tail_bytes_ % tail_room_ : 0;
  write_all(fd_, tail_.data() + begin, static_cast<std::size_t>(kept) - begin);
  write_all(fd_, tail_.data(), begin);
  return missing;
}

}  // namespace tasks
