#include "runtime/store/share.h"

namespace rt::store {
namespace {

/// What making a file takes, in bytes that could have been written meanwhile.
constexpr double kFile = 32 << 10;

/// Seconds a byte before any was measured: 200 MB/s.
constexpr double kUsualPace = 5e-9;

/// Fewer seconds are not worth a task of their own.
constexpr double kRound = 1e-3;

}  // namespace

double bytes_to_write(std::uint64_t bytes) { return static_cast<double>(bytes) + kFile; }

Share::Share(double share) : share_(share), since_(base::now()), pace_(kUsualPace) {}

double Share::left() const { return share_ * base::seconds_since(since_) - spent_; }

bool Share::allows(std::uint64_t bytes) const {
  const std::scoped_lock lock(mutex_);
  return share_ >= 1 || left() >= pace_ * bytes_to_write(bytes);
}

bool Share::worth(double cost, std::uint64_t bytes) const {
  return share_ >= 1 || cost * share_ >= kUsualPace * bytes_to_write(bytes);
}

bool Share::allows_round() const {
  const std::scoped_lock lock(mutex_);
  return share_ >= 1 || left() >= kRound;
}

void Share::took(double seconds, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  spent_ += seconds;
  pace_ += (seconds / bytes_to_write(bytes) - pace_) / 8;
}

double Share::spent() const {
  const std::scoped_lock lock(mutex_);
  return spent_;
}

}  // namespace rt::store
