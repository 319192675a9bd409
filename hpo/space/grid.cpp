// Counting and numbering the points of a space whose parameters exist only under conditions, and
// some of whose combinations are forbidden.
//
// Points are numbered as a nest of loops over Space::order() would visit them. Only parameters that
// conditions or forbidden combinations name have to be branched on. A parameter named by conditions
// is branched on only at the values that they name; all its other values share one subtree.
// Subtrees that differ in nothing that still matters below are counted once.

#include "hpo/space/grid.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text.h"

namespace hpo {

namespace {

constexpr std::uint64_t kLargestGrid = std::uint64_t{1} << 63;
constexpr int kMostBranches = 1'000'000;
constexpr std::size_t kMostKept = 200'000;  // counts
constexpr std::uint64_t kPlain =
    UINT64_MAX;  // in place of the rank of a value that nobody mentions

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

}  // namespace

class GridPoints::Walk {
 public:
  explicit Walk(const Space& space)
      : space_(space), mentioned_(space.size()), ranks_(space.size(), kPlain) {
    for (const Parameter& parameter : space.parameters()) {
      for (const Condition& condition : parameter.when) mention(condition);
    }
    for (const Forbidden& combination : space.forbidden()) {
      for (const Clause& clause : combination.clauses) {
        for (const std::string& name : {clause.parameter, clause.other}) mention_all(name);
      }
    }
    find_relevant();
  }

  [[nodiscard]] const Space& space() const { return space_; }
  void forget() { counts_.clear(); }

  /// Points below the choices made so far, from the `depth`-th parameter of the order on.
  Count count(std::size_t depth) {
    if (!space_.allows(chosen_)) return 0;
    if (depth == space_.size()) return 1;
    std::vector<std::uint64_t> key{depth};
    for (const std::size_t at : relevant_[depth]) key.push_back(ranks_[at]);
    if (const auto known = counts_.find(key); known != counts_.end()) return known->second;
    const Count total = count_anew(depth);
    if (total && counts_.size() < kMostKept) counts_.emplace(std::move(key), *total);
    return total;
  }

  Params point(std::uint64_t i) {
    chosen_ = {};
    std::ranges::fill(ranks_, kPlain);
    for (std::size_t depth = 0; depth < space_.size(); ++depth) {
      steps_ = 0;
      const std::size_t at = space_.order()[depth];
      if (space_.is_active(at, chosen_)) choose(at, take_rank(at, depth, i));
    }
    return std::exchange(chosen_, {});
  }

 private:
  Count count_anew(std::size_t depth) {
    if (++steps_ > kMostBranches || uncountable_) return std::nullopt;
    const std::size_t at = space_.order()[depth];
    if (!space_.is_active(at, chosen_)) return count(depth + 1);
    const Count values = cardinality(domain(at));
    if (!values) return std::nullopt;
    const auto& ranks = mentioned_[at];
    Count total = ranks.size() == *values ? 0 : product(*values - ranks.size(), count(depth + 1));
    for (const std::uint64_t rank : ranks) {
      if (!total) break;  // nothing makes it countable again
      total = sum(total, count_with(at, rank, depth));
    }
    return total;
  }

  /// What of the choices above each depth conditions and combinations below it ask for.
  void find_relevant() {
    std::vector<std::size_t> depth_of(space_.size());
    for (std::size_t depth = 0; depth < space_.size(); ++depth)
      depth_of[space_.order()[depth]] = depth;
    std::vector<std::size_t> last(space_.size(), 0);  // depth of the last one that asks for it
    for (std::size_t i = 0; i < space_.size(); ++i) {
      for (const Condition& condition : space_.parameters()[i].when)
        raise(last[*space_.index_of(condition.parameter)], depth_of[i]);
    }
    for (const Forbidden& combination : space_.forbidden()) {
      std::vector<std::size_t> named;
      for (const Clause& clause : combination.clauses) {
        for (const std::string& name : {clause.parameter, clause.other})
          if (const auto at = space_.index_of(name)) named.push_back(*at);
      }
      for (const std::size_t one : named)
        for (const std::size_t other : named) raise(last[one], depth_of[other]);
    }
    relevant_.resize(space_.size());
    for (std::size_t at = 0; at < space_.size(); ++at) {
      for (std::size_t depth = depth_of[at] + 1; depth <= last[at]; ++depth)
        relevant_[depth].push_back(at);
    }
  }

  static void raise(std::size_t& value, std::size_t other) { value = std::max(value, other); }

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
    ranks_[at] = std::ranges::binary_search(mentioned_[at], rank) ? rank : kPlain;
  }

  Count count_with(std::size_t at, std::uint64_t rank, std::size_t depth) {
    const Params before = chosen_;
    choose(at, rank);
    const Count result = count(depth + 1);
    chosen_ = before;
    ranks_[at] = kPlain;
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
  std::vector<std::vector<std::size_t>> relevant_;     // by depth
  std::map<std::vector<std::uint64_t>, std::uint64_t> counts_;  // by depth and relevant ranks
  Params chosen_;
  std::vector<std::uint64_t> ranks_;  // of what is chosen, kPlain for the rest
  int steps_ = 0;
  bool uncountable_ = false;  // a value of too many decides about a forbidden combination
};

GridPoints::GridPoints(const Space& space)
    : walk_(std::make_unique<Walk>(space)), size_(walk_->count(0)) {
  if (!size_) walk_->forget();
}
GridPoints::~GridPoints() = default;
GridPoints::GridPoints(GridPoints&&) noexcept = default;
GridPoints& GridPoints::operator=(GridPoints&&) noexcept = default;

Params GridPoints::point(std::uint64_t i) {
  if (!size_ || i >= *size_)
    throw base::Error(base::Errc::internal, base::cat("grid_point: no point ", i));
  return walk_->space().adopt(walk_->point(i));
}

std::optional<std::uint64_t> Space::grid_size() const { return GridPoints(*this).size(); }

Params Space::grid_point(std::uint64_t i) const { return GridPoints(*this).point(i); }

}  // namespace hpo
