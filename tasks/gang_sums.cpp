#include "tasks/gang_sums.h"

#include <algorithm>
#include <utility>

#include "runtime/net/sums/tree.h"

namespace tasks {

namespace {

using namespace rt::net::sums;

/// Wishes of members in the last word of a gathering, where those of all are added up.
constexpr std::uint32_t kStop = 1, kRegroup = 1 << 16;
static_assert(kMostMembers < kRegroup);

/// The end of a process is seen at once. So this is how long the steps of members may differ, and
/// how long one may be without a training.
constexpr base::Duration kLongest = std::chrono::hours(24);

Way way_for(int members, int shards) {
  return {.kind = is_balanced(members, shards) ? Way::Kind::halving : Way::Kind::subtrees};
}

}  // namespace

GangSums::GangSums(Links& links, std::uint64_t epoch)
    : links_(links), epoch_(epoch), gathering_(links, {.epoch = epoch}) {}

void GangSums::begin(nn::StopPredicate wish, nn::StopPredicate regroup) {
  wish_ = std::move(wish);
  regroup_ = std::move(regroup);
  stopping_ = regrouping_ = false;
}

nn::GradientSums::Shards GangSums::own(int shards) const {
  const ShardRange range = shards_of(links_.own(), links_.members(), shards);
  return {range.first, range.last};
}

std::uint32_t GangSums::wishes() const {
  return (wish_ && wish_() ? kStop : 0) + (regroup_ && regroup_() ? kRegroup : 0);
}

void GangSums::heed(std::uint32_t wishes) {
  stopping_ = stopping_ || wishes % kRegroup != 0;
  regrouping_ = regrouping_ || wishes >= kRegroup;
}

void GangSums::gather(std::span<std::uint32_t> words) {
  const base::Moment begun = base::now();
  words_.assign(words.begin(), words.end());
  words_.push_back(wishes());
  gathering_.begin_words(++number_, 0, words_);
  gathering_.finish(0, kLongest);
  std::copy_n(words_.begin(), words.size(), words.begin());
  heed(words_.back());
  waited_ += base::now() - begun;
}

BucketSums& GangSums::sums_of(int shards) {
  if (!sums_ || shards_ != shards) {
    sent_ = bytes() - gathering_.exchange().sent();
    idled_ = idle() - gathering_.exchange().waited();
    sums_.emplace(
        links_,
        Membership{.epoch = epoch_, .shards = shards, .way = way_for(links_.members(), shards)});
    shards_ = shards;
  }
  return *sums_;
}

void GangSums::sum(std::span<float* const> blocks, std::size_t count, int shards) {
  const base::Moment begun = base::now();
  BucketSums& sums = sums_of(shards);
  sums.begin(++number_, 0, 0, count, {blocks.begin(), blocks.end()});
  sums.finish(0, kLongest);
  waited_ += base::now() - begun;
  under_way_for_ += base::now() - begun;
}

/// Everything that a member does for sums goes through here. What ended while it computed is seen
/// at the next call.
template <class F>
void GangSums::timed(F f) {
  const base::Moment begin = base::now();
  if (!since_) since_ = begin;
  f();
  if (begun_ - sums_->pending() >= gathering_ticket_) deliver();
  const base::Moment end = base::now();
  waited_ += end - begin;
  if (sums_->pending() > 0) return;
  under_way_for_ += end - *since_;
  since_.reset();
}

void GangSums::deliver() {
  if (gathering_ticket_ == 0) return;
  gathering_ticket_ = 0;
  std::copy_n(under_way_.begin(), gathers_into_.size(), gathers_into_.begin());
  heed(under_way_.back());
}

template <class F>
nn::SumsUnderWay::Ticket GangSums::begun(F f) {
  timed([&] {
    const std::size_t before = sums_->pending();
    f();
    begun_ += sums_->pending() - before;
  });
  return begun_;
}

nn::SumsUnderWay::Ticket GangSums::begin_gather(std::span<std::uint32_t> words, int shards) {
  BucketSums& sums = sums_of(shards);
  under_way_.assign(words.begin(), words.end());
  under_way_.push_back(wishes());
  gathers_into_ = words;
  gathering_ticket_ = begun_ + 1;
  return begun([&] { sums.begin_words(++number_, 0, under_way_); });
}

nn::SumsUnderWay::Ticket GangSums::begin_reduce(const Part& part) {
  return begun([&] {
    sums_->begin_reduce(++number_, 0, part.offset, part.count,
                        {part.blocks.begin(), part.blocks.end()});
  });
}

nn::SumsUnderWay::Ticket GangSums::begin_share(const Part& part) {
  return begun(
      [&] { sums_->begin_gather(++number_, 0, part.offset, part.count, part.blocks.front()); });
}

void GangSums::advance() {
  if (sums_ && sums_->pending() > 0) timed([&] { (void)sums_->advance(); });
}

void GangSums::await(Ticket ticket) {
  if (!sums_ || begun_ - sums_->pending() >= ticket) return;
  timed([&] { sums_->finish(static_cast<std::size_t>(begun_ - ticket), kLongest); });
}

base::Duration GangSums::idle() const noexcept {
  return gathering_.exchange().waited() + idled_ +
         (sums_ ? sums_->exchange().waited() : base::Duration::zero());
}

std::uint64_t GangSums::bytes() const noexcept {
  return gathering_.exchange().sent() + sent_ + (sums_ ? sums_->exchange().sent() : 0);
}

}  // namespace tasks
