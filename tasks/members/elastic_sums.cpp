#include "tasks/members/elastic_sums.h"

#include <algorithm>
#include <utility>

#include "runtime/net/sums/copies.h"

namespace tasks {

using rt::net::sums::LinkLost;

void UseNotes::note(const MemberUse& use) noexcept {
  busy_.store(use.busy, std::memory_order_relaxed);
  waited_.store(use.waited, std::memory_order_relaxed);
  moved_.store(use.moved, std::memory_order_relaxed);
  under_way_.store(use.under_way, std::memory_order_relaxed);
  bytes_.store(use.bytes, std::memory_order_relaxed);
}

MemberUse UseNotes::read() const noexcept {
  return {.busy = busy_.load(std::memory_order_relaxed),
          .waited = waited_.load(std::memory_order_relaxed),
          .moved = moved_.load(std::memory_order_relaxed),
          .under_way = under_way_.load(std::memory_order_relaxed),
          .bytes = bytes_.load(std::memory_order_relaxed)};
}

ElasticSums::ElasticSums(Agreement& agreement, UseNotes& notes, bool first, nn::StopPredicate wish,
                         int most_stages)
    : agreement_(agreement),
      notes_(notes),
      wish_(std::move(wish)),
      before_(notes.read()),
      has_network_(first) {
  if (most_stages > 0) stages_.emplace(most_stages);
}

/// Runs something that the links can end.
template <class F>
auto ElasticSums::guarded(F f) {
  try {
    return f();
  } catch (const LinkLost&) {
    throw nn::MembersChanged();
  }
}

nn::GradientSums::Shards ElasticSums::own(int shards) const {
  return sums_ ? sums_->own(shards) : Shards{};
}

void ElasticSums::gather(std::span<std::uint32_t> words) {
  guarded([&] { sums_->gather(words); });
  stopping_ = stopping_ || sums_->stopping();
}

void ElasticSums::sum(std::span<float* const> blocks, std::size_t count, int shards) {
  guarded([&] { sums_->sum(blocks, count, shards); });
}

nn::SumsUnderWay::Ticket ElasticSums::begin_gather(std::span<std::uint32_t> words, int shards) {
  return guarded([&] { return sums_->begin_gather(words, shards); });
}

nn::SumsUnderWay::Ticket ElasticSums::begin_reduce(const Part& part) {
  return guarded([&] { return sums_->begin_reduce(part); });
}

nn::SumsUnderWay::Ticket ElasticSums::begin_share(const Part& part) {
  return guarded([&] { return sums_->begin_share(part); });
}

void ElasticSums::advance() {
  guarded([&] { sums_->advance(); });
}

void ElasticSums::await(Ticket ticket) {
  guarded([&] { sums_->await(ticket); });
  stopping_ = stopping_ || sums_->stopping();
}

bool ElasticSums::agree(nn::GangPoint& point) {
  while (true) {
    drop_links();
    note_use();
    try {
      const base::Moment asked = base::now();
      std::optional<Members> members = agreement_.next(
          has_network_ ? point.done : -1, [this] { return stopping_ || (wish_ && wish_()); });
      waited_ += base::now() - asked;
      idle_ += base::now() - asked;
      if (!members) return false;
      stopping_ = members->stopping;
      links_ = std::move(members->links);
      sums_.emplace(*links_, members->epoch);
      sums_->begin([this] { return stopping_ || (wish_ && wish_()); },
                   [this] { return agreement_.newcomers(); });
      bring_up(*members, point);
      if (stages_) stages_->enter(*links_, members->epoch);
      asked_ = 0;
      return true;
    } catch (const LinkLost&) {
      // One was lost again.
    }
  }
}

void ElasticSums::bring_up(const Members& members, nn::GangPoint& point) {
  const int own = links_->own();
  if (own == members.source) {
    rt::net::sums::send_copies(*links_, members.epoch, point.parts, members.behind);
  } else if (std::ranges::find(members.behind, own) != members.behind.end()) {
    rt::net::sums::receive_copy(*links_, members.epoch, point.parts, members.source);
    point.done = members.done;
    has_network_ = true;
  }
}

bool ElasticSums::goes_on() {
  note_use();
  // Asked before each step, where the update of the last one may still be to come.
  if (asked_ == 2) agreement_.stepped();
  asked_ = std::min(asked_ + 1, 3);
  return !sums_->regrouping();
}

bool ElasticSums::leave() {
  if (asked_ == 2) agreement_.stepped();
  const bool left = agreement_.leave();
  drop_links();
  note_use();
  return left;
}

void ElasticSums::drop_links() {
  if (sums_) {
    waited_ += sums_->waited();
    idle_ += sums_->idle();
    under_way_ += sums_->under_way_for();
    bytes_ += sums_->bytes();
  }
  sums_.reset();
  if (stages_) stages_->leave();
  links_.reset();
}

void ElasticSums::note_use() {
  constexpr base::Duration kNone = base::Duration::zero();
  const base::Duration waited =
      waited_ + (sums_ ? sums_->waited() : kNone) + (stages_ ? stages_->waited() : kNone);
  const base::Duration idle =
      idle_ + (sums_ ? sums_->idle() : kNone) + (stages_ ? stages_->idle() : kNone);
  const base::Duration under_way = under_way_ + (sums_ ? sums_->under_way_for() : kNone);
  notes_.note(before_ + MemberUse{.busy = base::seconds(base::now() - begun_ - waited),
                                  .waited = base::seconds(idle),
                                  .moved = base::seconds(waited - idle),
                                  .under_way = base::seconds(under_way),
                                  .bytes = bytes_ + (sums_ ? sums_->bytes() : 0) +
                                           (stages_ ? stages_->bytes() : 0)});
}

}  // namespace tasks
