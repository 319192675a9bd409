#include "runtime/net/aggregator/switch.h"

#include <algorithm>

namespace rt::net::aggregator {

Switch::Switch(std::uint32_t job, unsigned workers, std::uint32_t slots, Bitmap bitmap)
    : job_(job), workers_(workers), bitmap_(bitmap), slots_(slots) {
  for (Slot& slot : slots_) slot[1].round = 1;
}

bool Switch::acceptable(const Packet& term) const noexcept {
  if (term.job != job_ || term.worker >= workers_ || term.slot >= slots_.size()) return false;
  const Slot& slot = slots_[term.slot];
  const Pool& pool = slot[term.round % 2];
  const Pool& other = slot[(term.round + 1) % 2];
  if (term.round < pool.round) return false;
  // The sender is one round ahead, so it has the sum of this one.
  const std::uint64_t bit = std::uint64_t{1} << term.worker;
  if (other.round == term.round + 1 && (other.seen & bit) != 0) return false;
  // A sum that is not complete is not given up for a later round.
  if (term.round != pool.round) return pool.count == 0;
  // Workers whose layouts differ have no sum.
  return pool.seen == 0 || term.integers.size() == pool.integers.size();
}

Switch::Answer Switch::answer(To to, const Pool& pool, const Packet& term) {
  return {to, {term.job, pool.round, term.slot, term.worker, pool.exponent, pool.integers}};
}

Switch::Answer Switch::receive(const Packet& term) {
  if (!acceptable(term)) {
    ++dropped_;
    return {};
  }
  Pool& pool = slots_[term.slot][term.round % 2];
  Pool& other = slots_[term.slot][(term.round + 1) % 2];
  const std::uint64_t bit = std::uint64_t{1} << term.worker;
  pool.round = term.round;
  if ((pool.seen & bit) != 0 && bitmap_ == Bitmap::on) {
    ++repeated_;
    return pool.count == 0 ? answer(To::sender, pool, term) : Answer{};
  }
  pool.seen |= bit;
  // This term says that its sender has the sum of the other pool, so the other pool may be reused.
  other.seen &= ~bit;
  if (pool.count == 0) {
    pool.exponent = term.exponent;
    pool.integers = term.integers;
  } else {
    pool.exponent = std::max(pool.exponent, term.exponent);
    add_integers(pool.integers, term.integers);
  }
  pool.count = (pool.count + 1) % workers_;
  return pool.count == 0 ? answer(To::everybody, pool, term) : Answer{};
}

}  // namespace rt::net::aggregator
