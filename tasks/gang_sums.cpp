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
    : links_(links), epoch_(epoch), gathering_(links) {}

void GangSums::begin(nn::StopPredicate wish, nn::StopPredicate regroup) {
  wish_ = std::move(wish);
  regroup_ = std::move(regroup);
  stopping_ = regrouping_ = false;
}

nn::GradientSums::Shards GangSums::own(int shards) const {
  const ShardRange range = shards_of(links_.own(), links_.members(), shards);
  return {range.first, range.last};
}

std::shared_ptr<const Schedule> GangSums::gathering_of(std::size_t words) {
  if (!gathered_ || words_.size() != words) {
    const int members = links_.members();
    words_.resize(words);
    gathered_ = std::make_shared<Schedule>(
        schedule_of(way_for(members, members),
                    {.members = members, .shards = members, .count = words}, links_.own()));
  }
  return gathered_;
}

void GangSums::gather(std::span<std::uint32_t> words) {
  const base::Moment begun = base::now();
  const auto schedule = gathering_of(words.size() + 1);
  std::ranges::copy(words, words_.begin());
  words_.back() = (wish_ && wish_() ? kStop : 0) + (regroup_ && regroup_() ? kRegroup : 0);
  gathering_.begin({.tag = {.epoch = epoch_, .step = ++number_, .bucket = 0},
                    .schedule = schedule,
                    .buffers = {reinterpret_cast<std::byte*>(words_.data())},
                    .arithmetic = Arithmetic::integers});
  gathering_.finish(0, kLongest);
  std::copy_n(words_.begin(), words.size(), words.begin());
  stopping_ = stopping_ || words_.back() % kRegroup != 0;
  regrouping_ = regrouping_ || words_.back() >= kRegroup;
  waited_ += base::now() - begun;
}

BucketSums& GangSums::sums_of(int shards) {
  if (!sums_ || shards_ != shards) {
    sent_ = bytes() - gathering_.sent();
    idled_ = idle() - gathering_.waited();
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
}

base::Duration GangSums::idle() const noexcept {
  return gathering_.waited() + idled_ +
         (sums_ ? sums_->exchange().waited() : base::Duration::zero());
}

std::uint64_t GangSums::bytes() const noexcept {
  return gathering_.sent() + sent_ + (sums_ ? sums_->exchange().sent() : 0);
}

}  // namespace tasks
