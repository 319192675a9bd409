#include "runtime/net/sums/bucket_sums.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "runtime/net/sums/block_integers.h"
#include "runtime/net/sums/tree.h"

namespace rt::net::sums {

/// An exact sum on its way: first the exponents are summed by `largest`, then the integers.
struct BucketSums::Exact {
  std::size_t offset, count;
  std::vector<const float*> shards;  ///< this member's, from the part on
  float* result;
  std::vector<std::int32_t> exponents, integers;
};

BucketSums::BucketSums(Links& links, Membership membership)
    : links_(links), membership_(std::move(membership)), exchange_(links) {
  if (membership_.exact && membership_.shards > kMostExactShards)
    throw base::Error(base::Errc::internal,
                      base::cat("exact sums of ", membership_.shards, " shards"));
}

void BucketSums::begin(std::uint64_t step, std::uint32_t bucket, std::size_t offset,
                       std::size_t count, std::vector<float*> shards) {
  const int own = shards_of(links_.own(), links_.members(), membership_.shards).size();
  if (static_cast<int>(shards.size()) != std::max(1, own))
    throw base::Error(base::Errc::internal,
                      base::cat("a sum of ", shards.size(), " shards where there are ", own));
  for (float*& shard : shards) shard += offset;
  const Tag tag{membership_.epoch, step, bucket};
  if (membership_.exact) return begin_exact(tag, offset, count, shards);
  Sum sum{.tag = tag, .schedule = schedule_for(count), .buffers = {}};
  for (float* const shard : shards) sum.buffers.push_back(reinterpret_cast<std::byte*>(shard));
  exchange_.begin(std::move(sum));
}

std::shared_ptr<const Schedule> BucketSums::schedule_for(std::size_t count) {
  std::shared_ptr<const Schedule>& known = schedules_[count];
  if (!known) {
    const Shape shape{.members = links_.members(),
                      .shards = membership_.exact ? links_.members() : membership_.shards,
                      .count = count};
    known = std::make_shared<Schedule>(schedule_of(membership_.way, shape, links_.own()));
  }
  return known;
}

void BucketSums::begin_exact(const Tag& tag, std::size_t offset, std::size_t count,
                             const std::vector<float*>& shards) {
  const int own = shards_of(links_.own(), links_.members(), membership_.shards).size();
  const auto sum = std::make_shared<Exact>(Exact{offset,
                                                 count,
                                                 {shards.begin(), shards.begin() + own},
                                                 shards.front(),
                                                 std::vector<std::int32_t>(blocks_in(count)),
                                                 std::vector<std::int32_t>(count)});
  const auto begin_part = [&](std::vector<std::int32_t>& part, Arithmetic arithmetic,
                              std::function<void()> before, std::function<void()> after) {
    exchange_.begin({.tag = tag,
                     .schedule = schedule_for(part.size()),
                     .buffers = {reinterpret_cast<std::byte*>(part.data())},
                     .arithmetic = arithmetic,
                     .before = std::move(before),
                     .after = std::move(after)});
  };
  begin_part(
      sum->exponents, Arithmetic::largest,
      [sum] {
        for (const float* shard : sum->shards) raise_exponents({shard, sum->count}, sum->exponents);
      },
      [this, sum] { check_finite(*sum); });
  begin_part(
      sum->integers, Arithmetic::integers,
      [this, sum] {
        for (const float* shard : sum->shards)
          add_integers({shard, sum->count}, sum->exponents, membership_.shards, sum->integers);
      },
      [this, sum] {
        restore(sum->integers, sum->exponents, membership_.shards, {sum->result, sum->count});
      });
}

void BucketSums::check_finite(const Exact& sum) const {
  const auto block = find_not_finite(sum.exponents);
  if (!block) return;
  const std::size_t first = sum.offset + *block * kBlock;
  const std::size_t last = sum.offset + std::min(sum.count, (*block + 1) * kBlock);
  std::string where;
  for (const NamedPart& tensor : membership_.tensors)
    if (tensor.offset < last && first < tensor.offset + tensor.count)
      where += base::cat(where.empty() ? "" : " or ", "`", tensor.name, "`");
  if (where.empty()) where = base::cat("elements ", first, " to ", last - 1);
  throw base::Error(base::Errc::data, base::cat("the gradient of ", where, " is not finite"));
}

}  // namespace rt::net::sums
