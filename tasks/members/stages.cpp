#include "tasks/members/stages.h"

#include <memory>
#include <utility>
#include <vector>

namespace tasks {

namespace {

using namespace rt::net::sums;

/// How long the steps of members may differ, since the end of a process is seen at once.
constexpr base::Duration kLongestStep = std::chrono::hours(24);

/// Returns the schedule in which `own` sends its pieces to all others and gets theirs.
Schedule sharing_schedule(std::span<const nn::StageLinks::Piece> pieces, int own, int members) {
  Round round;
  for (int peer = 0; peer < members; ++peer) {
    if (peer == own) continue;
    // Messages to a peer lie side by side.
    for (const nn::StageLinks::Piece& piece : pieces) {
      const rt::net::sums::Piece there{.offset = piece.offset, .count = piece.count};
      if (piece.member == own) round.sends.push_back({peer, there});
      if (piece.member == peer) round.receives.push_back({peer, there});
    }
  }
  Schedule schedule;
  schedule.rounds.push_back(std::move(round));
  return schedule;
}

}  // namespace

void MemberStages::enter(Links& links, std::uint64_t epoch) {
  leave();
  links_ = &links;
  epoch_ = epoch;
  handovers_.emplace(links);
  sharing_.emplace(links);
}

void MemberStages::leave() {
  idled_ = idle();
  sent_ = bytes();
  handovers_.reset();
  sharing_.reset();
  links_ = nullptr;
}

template <class F>
void MemberStages::timed(F f) {
  const base::Moment begun = base::now();
  try {
    f();
  } catch (const LinkLost&) {
    waited_ += base::now() - begun;
    throw nn::MembersChanged();
  }
  waited_ += base::now() - begun;
}

HandoverTag MemberStages::tag_of(const Crossing& crossing) const {
  return {.epoch = epoch_,
          .step = static_cast<std::uint64_t>(crossing.step),
          .shard = static_cast<std::uint32_t>(crossing.shard),
          .backward = crossing.forward ? 0U : 1U};
}

void MemberStages::hand_on(const Crossing& crossing,
                           std::span<const std::span<const float>> arrays) {
  timed([&] {
    std::vector<std::span<const std::byte>> parts;
    for (const std::span<const float> array : arrays) parts.push_back(std::as_bytes(array));
    handovers_->send(own() + (crossing.forward ? 1 : -1), tag_of(crossing), parts);
  });
}

void MemberStages::take(const Crossing& crossing, std::span<const std::span<float>> arrays) {
  timed([&] {
    std::vector<std::span<std::byte>> parts;
    for (const std::span<float> array : arrays) parts.push_back(std::as_writable_bytes(array));
    handovers_->receive(own() + (crossing.forward ? -1 : 1), tag_of(crossing), parts);
  });
}

void MemberStages::advance() {
  if (handovers_->idle()) return;
  timed([&] { handovers_->advance(); });
}

void MemberStages::await_handed_back() {
  if (own() == 0 || handovers_->idle()) return;
  timed([&] { handovers_->finish(own() - 1); });
}

void MemberStages::share(std::int64_t step, std::span<const nn::StageLinks::Piece> pieces,
                         float* block) {
  if (members() == 1) return;
  timed([&] {
    sharing_->begin(
        {.tag = {.epoch = epoch_, .step = static_cast<std::uint64_t>(step)},
         .schedule = std::make_shared<Schedule>(sharing_schedule(pieces, own(), members())),
         .buffers = {reinterpret_cast<std::byte*>(block)}});
    sharing_->finish(0, kLongestStep);
  });
}

base::Duration MemberStages::idle() const noexcept {
  return idled_ + (handovers_ ? handovers_->waited() + sharing_->waited() : base::Duration::zero());
}

std::uint64_t MemberStages::bytes() const noexcept {
  return sent_ + (handovers_ ? handovers_->sent() + sharing_->sent() : 0);
}

}  // namespace tasks
