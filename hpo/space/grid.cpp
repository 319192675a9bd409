// Counting and numbering the points of a space whose parameters exist only under conditions, and
// some of whose combinations are forbidden.
//
// Points are numbered as a nest of loops over Space::order() would visit them. Only parameters that
// conditions or forbidden combinations name have to be branched on. Among the values of the former
// only those that a condition mentions: all others leave the same subtree.

#include <algorithm>
#include <numeric>

#include "hpo/space/space.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr std::uint64_t kLargestGrid = std::uint64_t{1} << 63;
constexpr int kMostBranches = 1'000'000;

using Count = std::optional<std::uint64_t>;

Count product(Count a, Count b) {
  if (a == Count(0) || b == Count(0)) return 0;
  if (!a || !b || *a > kLargestGrid / *b) return std::nullopt;
  return *a * *b;
}

Count sum(Count a, Count b) {
  if (!a || !b || *a > kLargestGrid - *b) return std::nullopt;
  return *a + *b;
}

class Walk {
 public:
  explicit Walk(const Space& space) : space_(space), mentioned_(space.size()) {
    for (const Parameter& parameter : space.parameters()) {
      for (const Condition& condition : parameter.when) mention(condition);
    }
    for (const Forbidden& combination : space.forbidden()) {
      for (const Clause& clause : combination.clauses) {
        for (const std::string& name : {clause.parameter, clause.other}) mention_all(name);
      }
    }
  }

  /// Points below the choices made so far, from the `depth`-th parameter of the order on.
  Count count(std::size_t depth) {
    if (!space_.allows(chosen_)) return 0;
    if (depth == space_.size()) return 1;
    if (++steps_ > kMostBranches || uncountable_) return std::nullopt;
    const std::size_t at = space_.order()[depth];
    if (!space_.is_active(at, chosen_)) return count(depth + 1);
    const Count values = cardinality(domain(at));
    if (!values) return std::nullopt;
    const auto& ranks = mentioned_[at];
    Count total = ranks.size() == *values ? 0 : product(*values - ranks.size(), count(depth + 1));
    for (const std::uint64_t rank : ranks) total = sum(total, count_with(at, rank, depth));
    return total;
  }

  Params point(std::uint64_t i) {
    for (std::size_t depth = 0; depth < space_.size(); ++depth) {
      steps_ = 0;
      const std::size_t at = space_.order()[depth];
      if (space_.is_active(at, chosen_)) choose(at, take_rank(at, depth, i));
    }
    return chosen_;
  }

 private:
  [[nodiscard]] const Domain& domain(std::size_t at) const {
    return space_.parameters()[at].domain;
  }

  void mention(const Condition& condition) {
    const auto parent = space_.index_of(condition.parameter);
    auto& ranks = mentioned_[*parent];
    for (const ParamValue& value : condition.values) {
      if (const auto rank = rank_of(domain(*parent), value)) ranks.push_back(*rank);
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  }

  void mention_all(const std::string& name) {
    const auto at = space_.index_of(name);
    if (!at) return;
    const Count values = cardinality(domain(*at));
    uncountable_ = uncountable_ || !values || *values > kMostBranches;
    if (uncountable_) return;
    auto& ranks = mentioned_[*at];
    ranks.resize(*values);
    std::iota(ranks.begin(), ranks.end(), std::uint64_t{0});
  }

  void choose(std::size_t at, std::uint64_t rank) {
    chosen_.set(space_.parameters()[at].name, nth_value(domain(at), rank));
  }

  Count count_with(std::size_t at, std::uint64_t rank, std::size_t depth) {
    const Params before = chosen_;
    choose(at, rank);
    const Count result = count(depth + 1);
    chosen_ = before;
    return result;
  }

  /// The rank of the value whose subtree holds point `i`, which becomes the number within that
  /// subtree.
  std::uint64_t take_rank(std::size_t at, std::size_t depth, std::uint64_t& i) {
    const bool all = mentioned_[at].size() == cardinality(domain(at));
    const std::uint64_t plain = all ? 0 : count(depth + 1).value();
    std::uint64_t rank = 0;
    for (const std::uint64_t special : mentioned_[at]) {
      const std::uint64_t before = (special - rank) * plain;
      if (i < before) break;
      i -= before;
      const std::uint64_t size = count_with(at, special, depth).value();
      if (i < size) return special;
      i -= size;
      rank = special + 1;
    }
    rank += i / plain;
    i %= plain;
    return rank;
  }

  const Space& space_;
  std::vector<std::vector<std::uint64_t>> mentioned_;  // ranks that conditions name, ascending
  Params chosen_;
  int steps_ = 0;
  bool uncountable_ = false;  // a value of too many decides about a forbidden combination
};

}  // namespace

std::optional<std::uint64_t> Space::grid_size() const { return Walk(*this).count(0); }

Params Space::grid_point(std::uint64_t i) const {
  const auto size = grid_size();
  if (!size || i >= *size) throw rt::Error(rt::Errc::internal, rt::cat("grid_point: no point ", i));
  return in_order(Walk(*this).point(i));
}

}  // namespace hpo
