#include "hpo/driver/programs/long_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace hpo {

namespace {

constexpr std::uint64_t kMostEnd = 64 * 1024;
constexpr std::uint64_t kGiveBack = 1024 * 1024;  ///< bytes at once

}  // namespace

LongLog::LongLog(std::uint64_t most) : most_(most), end_(std::min(most / 2, kMostEnd)) {
  given_back_ = most_ - end_;
}

void LongLog::was_read(const base::File& log, std::uint64_t bytes) {
  if (bytes < given_back_ + end_ + kGiveBack) return;
  const std::uint64_t until = bytes - end_;
  (void)::fallocate(log.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(given_back_), static_cast<off_t>(until - given_back_));
  given_back_ = until;
}

void LongLog::finish(const base::File& log) const {
  struct stat status {};
  if (!log || ::fstat(log.fd(), &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size <= most_) return;
  std::string end(end_, '\0');
  end.resize(base::read_into(log.fd(), std::as_writable_bytes(std::span(end)), size - end_).bytes);
  if (::ftruncate(log.fd(), static_cast<off_t>(most_ - end_)) != 0) return;
  end = base::cat("\n[", size - most_, " bytes of output left out]\n", end);
  (void)!::write(log.fd(), end.data(), end.size());
}

}  // namespace hpo
