#include "hpo/driver/programs/places.h"

#include <chrono>

namespace hpo {

namespace {

constexpr std::chrono::seconds kOneMoreEach{1}, kForgotten{60};

}  // namespace

std::size_t Places::most(base::Moment now) {
  const auto passed = static_cast<std::size_t>((now - changed_) / kOneMoreEach);
  if (most_ == wanted_ || passed == 0) return most_;
  changed_ = now;
  return most_ = passed < wanted_ - most_ ? most_ + passed : wanted_;
}

bool Places::lack(std::size_t running, base::Moment now) {
  const bool is_news = !lacked_ || now - *lacked_ > kForgotten;
  most_ = running;
  lacked_ = changed_ = now;
  return is_news;
}

}  // namespace hpo
