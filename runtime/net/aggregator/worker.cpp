#include "runtime/net/aggregator/worker.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace rt::net::aggregator {

Worker::Worker(const Seat& seat, const Patience& patience, Wire& wire)
    : seat_(seat), patience_(patience), wire_(&wire), slots_(seat.slots) {}

void Worker::begin(const Layout& layout, std::span<const float> values, base::Moment now) {
  layout_ = &layout;
  values_ = values;
  sum_.assign(layout.floats(), 0.0f);
  missing_ = layout.blocks().size();
  not_finite_.reset();
  unanswered_ = 0;
  const std::size_t used = std::min(slots_.size(), missing_);
  for (std::uint32_t slot = 0; slot < used; ++slot) {
    slots_[slot].step = 0;
    send(slot, now);
  }
}

/// The block whose integers the slot's packet has, from its step 1 on.
std::size_t Worker::block_at(std::uint32_t slot) const noexcept {
  return slot + std::size_t{slots_[slot].step - 1} * slots_.size();
}

Packet Worker::packet_of(std::uint32_t slot) const {
  const Slot& its = slots_[slot];
  const std::vector<Block>& blocks = layout_->blocks();
  Packet packet{
      seat_.job, its.first_round + its.step, slot, static_cast<std::uint8_t>(seat_.worker), 0, {}};
  if (its.step > 0) {
    const Block& block = blocks[block_at(slot)];
    packet.integers.resize(block.floats);
    to_integers(values_.subspan(block.first, block.floats), {&its.exponent, 1}, seat_.workers,
                packet.integers);
  }
  if (const std::size_t next = slot + its.step * slots_.size(); next < blocks.size()) {
    packet.exponent = block_exponent(values_.subspan(blocks[next].first, blocks[next].floats));
  }
  return packet;
}

void Worker::send(std::uint32_t slot, base::Moment now) {
  ++sent_;
  await(slot, now + interval());
  wire_->send(packet_of(slot));
}

void Worker::await(std::uint32_t slot, std::optional<base::Moment> until) {
  if (slots_[slot].due) awaited_.erase({*slots_[slot].due, slot});
  slots_[slot].due = until;
  if (until) awaited_.insert({*until, slot});
}

void Worker::take(const Block& block, BlockExponent exponent, const Packet& sum) {
  to_floats(sum.integers, {&exponent, 1}, seat_.workers,
            std::span(sum_).subspan(block.first, block.floats));
  --missing_;
}

void Worker::receive(const Packet& sum, base::Moment now) {
  if (sum.job != seat_.job || sum.slot >= slots_.size()) return;
  Slot& slot = slots_[sum.slot];
  if (!slot.due || sum.round != slot.first_round + slot.step) return;
  const std::vector<Block>& blocks = layout_->blocks();
  if (slot.step > 0) {
    const std::size_t at = block_at(sum.slot);
    if (sum.integers.size() != blocks[at].floats) return;
    if (slot.exponent == kNotFinite) not_finite_ = std::min(at, not_finite_.value_or(at));
    take(blocks[at], slot.exponent, sum);
  }
  unanswered_ = 0;
  slot.exponent = sum.exponent;
  ++slot.step;
  if (block_at(sum.slot) < blocks.size()) return send(sum.slot, now);
  await(sum.slot, std::nullopt);
  slot.first_round += slot.step;
}

base::Duration Worker::interval() const noexcept {
  constexpr unsigned kMostDoublings = 10;
  return patience_.first * (1U << std::min(unanswered_ / patience_.doubled_after, kMostDoublings));
}

void Worker::resend(base::Moment now) {
  while (!awaited_.empty() && awaited_.begin()->first <= now) {
    const std::uint32_t slot = awaited_.begin()->second;
    ++unanswered_;
    ++resent_;
    send(slot, now);
  }
}

std::optional<base::Moment> Worker::due() const {
  if (awaited_.empty()) return std::nullopt;
  return awaited_.begin()->first;
}

std::span<const float> Worker::sum() const {
  if (not_finite_) {
    throw base::Error(base::Errc::data,
                      base::cat("the sum of `", layout_->name_of(layout_->blocks()[*not_finite_]),
                                "` has a NaN or an infinity on at least one of ", seat_.workers,
                                " workers; expected finite numbers: try a lower learning rate"));
  }
  return sum_;
}

}  // namespace rt::net::aggregator
