#include "runtime/net/sums/bucket_sums.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "runtime/net/block_integers.h"
#include "runtime/net/sums/tree.h"

namespace rt::net::sums {

/// An exact sum on its way: first the exponents are summed by `largest`, then the integers.
struct BucketSums::Exact {
  std::size_t offset, count;
  std::vector<const float*> shards;  ///< this member's, from the part on
  float* result;
  std::vector<std::int32_t> widened;     ///< exponents as they are sent
  std::vector<BlockExponent> exponents;  ///< of this member, then of all
  std::vector<std::int32_t> integers;

  [[nodiscard]] std::span<const float> values(std::size_t shard) const {
    return {shards[shard], count};
  }
  void find_exponents() {
    std::vector<BlockExponent> own(exponents.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      block_exponents(values(i), own);
      raise_exponents(exponents, own);
    }
    std::ranges::copy(exponents, widened.begin());
  }
  void take_exponents() {
    std::ranges::transform(widened, exponents.begin(), [](std::int32_t exponent) {
      return static_cast<BlockExponent>(exponent);
    });
  }
  void find_integers(std::size_t terms) {
    std::vector<std::int32_t> own(count);
    for (std::size_t i = 0; i < shards.size(); ++i) {
      to_integers(values(i), exponents, terms, own);
      add_integers(integers, own);
    }
  }
};

BucketSums::BucketSums(Links& links, Membership membership)
    : links_(links), membership_(std::move(membership)), exchange_(links) {
  if (membership_.exact && static_cast<std::size_t>(membership_.shards) > kMostTerms)
    throw base::Error(base::Errc::internal,
                      base::cat("exact sums of ", membership_.shards, " shards"));
}

void BucketSums::take_part(std::vector<float*>& shards, std::size_t offset) const {
  const int own = shards_of(links_.own(), links_.members(), membership_.shards).size();
  if (static_cast<int>(shards.size()) != std::max(1, own))
    throw base::Error(base::Errc::internal,
                      base::cat("a sum of ", shards.size(), " shards where there are ", own));
  for (float*& shard : shards) shard += offset;
}

void BucketSums::begin_floats(const Tag& tag, std::shared_ptr<const Schedule> schedule,
                              const std::vector<float*>& shards, bool is_ready) {
  Sum sum{.tag = tag, .schedule = std::move(schedule), .buffers = {}, .is_ready = is_ready};
  for (float* const shard : shards) sum.buffers.push_back(reinterpret_cast<std::byte*>(shard));
  exchange_.begin(std::move(sum));
}

void BucketSums::begin_part(const Tag& tag, std::size_t offset, std::size_t count,
                            std::vector<float*> shards,
                            std::shared_ptr<const Schedule> Schedules::*schedule) {
  take_part(shards, offset);
  if (membership_.exact) return begin_exact(tag, offset, count, shards);
  begin_floats(tag, schedules_for(count).*schedule, shards, true);
}

void BucketSums::begin(std::uint64_t step, std::uint32_t bucket, std::size_t offset,
                       std::size_t count, std::vector<float*> shards) {
  begin_part({membership_.epoch, step, bucket}, offset, count, std::move(shards),
             &Schedules::whole);
}

void BucketSums::begin_reduce(std::uint64_t step, std::uint32_t bucket, std::size_t offset,
                              std::size_t count, std::vector<float*> shards) {
  begin_part({membership_.epoch, step, bucket}, offset, count, std::move(shards),
             &Schedules::reduces);
}

void BucketSums::begin_gather(std::uint64_t step, std::uint32_t bucket, std::size_t offset,
                              std::size_t count, float* first) {
  if (membership_.exact) return;
  begin_floats({membership_.epoch, step, bucket}, schedules_for(count).gathers, {first + offset},
               false);
}

void BucketSums::begin_words(std::uint64_t step, std::uint32_t bucket,
                             std::span<std::uint32_t> words) {
  std::shared_ptr<const Schedule>& known = of_words_[words.size()];
  if (!known) {
    const int members = links_.members();
    // They are few, so rounds count and bytes do not.
    const Way way{.kind =
                      is_balanced(members, members) ? Way::Kind::doubling : Way::Kind::subtrees};
    known = std::make_shared<Schedule>(schedule_of(
        way, {.members = members, .shards = members, .count = words.size()}, links_.own()));
  }
  exchange_.begin({.tag = {membership_.epoch, step, bucket},
                   .schedule = known,
                   .buffers = {reinterpret_cast<std::byte*>(words.data())},
                   .arithmetic = Arithmetic::integers});
}

const BucketSums::Schedules& BucketSums::schedules_for(std::size_t count) {
  Schedules& known = schedules_[count];
  if (!known.whole) {
    const Shape shape{.members = links_.members(),
                      .shards = membership_.exact ? links_.members() : membership_.shards,
                      .count = count};
    const Schedule whole = schedule_of(membership_.way, shape, links_.own());
    known = {std::make_shared<Schedule>(whole), std::make_shared<Schedule>(half_of(whole, false)),
             std::make_shared<Schedule>(half_of(whole, true))};
  }
  return known;
}

void BucketSums::begin_exact(const Tag& tag, std::size_t offset, std::size_t count,
                             const std::vector<float*>& shards) {
  const int own = shards_of(links_.own(), links_.members(), membership_.shards).size();
  const std::size_t blocks = block_count(count);
  const auto sum = std::make_shared<Exact>(Exact{.offset = offset,
                                                 .count = count,
                                                 .shards = {shards.begin(), shards.begin() + own},
                                                 .result = shards.front(),
                                                 .widened = std::vector<std::int32_t>(blocks),
                                                 .exponents = std::vector<BlockExponent>(blocks),
                                                 .integers = std::vector<std::int32_t>(count)});
  const auto begin_one = [&](std::vector<std::int32_t>& part, Arithmetic arithmetic,
                             std::function<void()> before, std::function<void()> after) {
    exchange_.begin({.tag = tag,
                     .schedule = schedules_for(part.size()).whole,
                     .buffers = {reinterpret_cast<std::byte*>(part.data())},
                     .arithmetic = arithmetic,
                     .before = std::move(before),
                     .after = std::move(after)});
  };
  const auto terms = static_cast<std::size_t>(membership_.shards);
  begin_one(
      sum->widened, Arithmetic::largest, [sum] { sum->find_exponents(); },
      [this, sum] {
        sum->take_exponents();
        check_finite(*sum);
      });
  begin_one(
      sum->integers, Arithmetic::integers, [sum, terms] { sum->find_integers(terms); },
      [sum, terms] {
        to_floats(sum->integers, sum->exponents, terms, {sum->result, sum->count});
      });
}

void BucketSums::check_finite(const Exact& sum) const {
  const auto block = std::ranges::find(sum.exponents, kNotFinite);
  if (block == sum.exponents.end()) return;
  const auto number = static_cast<std::size_t>(block - sum.exponents.begin());
  const std::size_t first = sum.offset + number * kBlockFloats;
  const std::size_t last = sum.offset + std::min(sum.count, (number + 1) * kBlockFloats);
  std::string where;
  for (const NamedPart& tensor : membership_.tensors)
    if (tensor.offset < last && first < tensor.offset + tensor.count)
      where += base::cat(where.empty() ? "" : " or ", "`", tensor.name, "`");
  if (where.empty()) where = base::cat("elements ", first, " to ", last - 1);
  throw base::Error(base::Errc::data, base::cat("the gradient of ", where, " is not finite"));
}

}  // namespace rt::net::sums
