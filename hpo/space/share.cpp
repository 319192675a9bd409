#include "hpo/space/share.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr int kDraws = 10'000, kMostDraws = 1'000'000;
/// What the draws for one rare point may come to in values: they end in less than a second.
constexpr std::size_t kMostValues = 2'000'000;

/// Parameters that no combination ties to the others, with what their conditions name: such parts
/// of a space are drawn one without the other, and their shares multiply.
class Parts {
 public:
  explicit Parts(const Space& space) : space_(space), leader_(space.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    for (const Forbidden& combination : space.forbidden()) {
      for (const Clause& clause : combination.clauses) {
        join(first_of(combination), clause.parameter);
        if (!clause.other.empty()) join(first_of(combination), clause.other);
      }
    }
  }

  /// Each a space with at least one combination.
  [[nodiscard]] std::vector<Space> spaces() {
    std::map<std::size_t, std::vector<Forbidden>> by_leader;
    for (const Forbidden& combination : space_.forbidden())
      by_leader[leader_of(first_of(combination))].push_back(combination);
    std::vector<Space> result;
    for (auto& [leader, forbidden] : by_leader) {
      std::vector<Parameter> parameters;
      for (std::size_t i = 0; i < space_.size(); ++i) {
        if (leader_of(i) == leader) parameters.push_back(space_.parameters()[i]);
      }
      result.emplace_back(std::move(parameters), std::move(forbidden));
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    return *space_.index_of(name);
  }

  [[nodiscard]] std::size_t first_of(const Forbidden& combination) const {
    return index_of(combination.clauses.front().parameter);
  }

  std::size_t leader_of(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }

  /// Puts a parameter, and all that its conditions hang on, into the part of `first`.
  void join(std::size_t first, const std::string& name) {
    std::vector<std::size_t> open{index_of(name)};
    std::vector<bool> seen(space_.size());
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      leader_[leader_of(at)] = leader_of(first);
      for (const Condition& condition : space_.parameters()[at].when)
        open.push_back(index_of(condition.parameter));
    }
  }

  const Space& space_;
  std::vector<std::size_t> leader_;
};

/// Points of a space, drawn as if nothing were forbidden: whether the next is allowed.
class Draws {
 public:
  explicit Draws(const Space& space) : space_(space), place_(space.size()) {}

  bool next() {
    for (double& u : place_) u = stream_.uniform();
    return space_.allows(space_.from_unit(place_));
  }

  /// Whether one of the next `most` is.
  bool any(int most) {
    for (int i = 0; i < most; ++i) {
      if (next()) return true;
    }
    return false;
  }

 private:
  const Space& space_;
  Stream stream_{0, "allowed share"};
  std::vector<double> place_;
};

int most_draws(const Space& part) {
  return static_cast<int>(std::min<std::size_t>(kMostDraws, kMostValues / part.size()));
}

double share_of(const Space& part) {
  Draws draws(part);
  int allowed = 0;
  for (int i = 0; i < kDraws; ++i) allowed += draws.next() ? 1 : 0;
  if (allowed > 0) return static_cast<double>(allowed) / kDraws;
  if (const auto points = part.grid_size()) return *points > 0 ? 1.0 / kDraws : 0;
  return draws.any(most_draws(part)) ? 1.0 / most_draws(part) : 0;
}

bool leaves_some_of(const Space& part) {
  Draws draws(part);
  if (draws.any(kDraws)) return true;
  if (const auto points = part.grid_size()) return *points > 0;
  return draws.any(most_draws(part));
}

}  // namespace

double allowed_share(const Space& space) {
  double share = 1;
  for (const Space& part : Parts(space).spaces()) share *= share_of(part);
  return share;
}

bool leaves_some(const Space& space) {
  return std::ranges::all_of(Parts(space).spaces(), leaves_some_of);
}

}  // namespace hpo
